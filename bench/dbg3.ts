import { readFileSync } from 'node:fs'
import { openLocalJudge } from '../packages/server/src/models/judge/judge.js'
import { hasFiguresAndNamesOf } from '../packages/server/src/ingest/figures-and-names.js'
const judge = await openLocalJudge()
const rows = readFileSync('bench/understanding/cases/natural/dev.jsonl','utf8').trim().split('\n').map((l)=>JSON.parse(l))
const all: any[] = []
for (const r of rows) for (let a=0;a<r.turns.length;a++) for (let b=a+1;b<r.turns.length;b++) {
  if (r.turns[a].role==='assistant'||r.turns[b].role==='assistant') continue
  const is = r.expect.same.some((s:number[])=>s.includes(a)&&s.includes(b))
  all.push({id:r.id, is, old:r.turns[a].content, fresh:r.turns[b].content})
}
for (let i=0;i<all.length;i+=32) { const part=all.slice(i,i+32); const js=await judge.judge(part.map(p=>({old:p.old,fresh:p.fresh,follows:false}))); part.forEach((p,k)=>{p.c=js[k]!.chances; p.again=p.c.same+p.c.refines}) }
for (const t of [0.5,0.6,0.65,0.7,0.8,0.9,0.95]) console.log(t, all.filter(p=>p.is&&p.again>=t).length,'of',all.filter(p=>p.is).length, 'false', all.filter(p=>!p.is&&p.again>=t).length,'of',all.filter(p=>!p.is).length)
for (const p of all.filter(p=>!p.is&&p.again>=0.5)) console.log(p.id,p.again.toFixed(2),'same',p.c.same.toFixed(2),p.old,'|',p.fresh)
await judge.close()
