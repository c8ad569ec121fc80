import { readFileSync } from 'node:fs'
import { openLocalJudge } from '../packages/server/src/models/judge/judge.js'
const judge = await openLocalJudge()
const rows = readFileSync('bench/understanding/cases/natural/dev.jsonl','utf8').trim().split('\n').map((l)=>JSON.parse(l))
const out: any[] = []
for (const r of rows) for (let i=0;i<r.turns.length;i++) { const st=r.expect.stored[i]; if (st===undefined) continue
  const t=r.turns[i], b=r.turns[i-1]; const near=b && (Date.parse(t.at)-Date.parse(b.at))<6*3600e3
  const [w]=await judge.worth([{before: near? (b.role==='assistant'?'Assistant: ':'')+b.content : null, text:t.content, isAssistant:t.role==='assistant'}]); out.push([st,w,t.role,t.name??'',t.content.slice(0,120),near?b.content.slice(0,60):null]) }
out.sort((a,b)=>a[1]-b[1])
console.log('STATEMENTS lowest'); for (const o of out.filter(o=>o[0]).slice(0,25)) console.log(JSON.stringify(o))
console.log('CHATTER highest'); for (const o of out.filter(o=>!o[0]).slice(-22)) console.log(JSON.stringify(o))
await judge.close()
