import { readFileSync } from 'node:fs'
import { saysThatItChanged, speaksAgainstChange } from '../packages/server/src/language/words/change-words.js'
const rows = readFileSync('/tmp/held.jsonl','utf8').trim().split('\n').map((l)=>JSON.parse(l))
const ch=(r:any)=>r.chances[2]+r.chances[3]
const is=(r:any)=>['replaces','ends'].includes(r.label)
for (const t of [0.5,0.7,0.8,0.9,0.95,0.97,0.98,0.985]) {
  const said=rows.filter(r=>ch(r)>=t&&saysThatItChanged(r.new)); const unsaid=rows.filter(r=>ch(r)>=t&&!saysThatItChanged(r.new)&&!speaksAgainstChange(r.new)); const against=rows.filter(r=>ch(r)>=t&&speaksAgainstChange(r.new))
  const f=(a:any[])=>`${a.filter(is).length}+${a.filter(r=>!is(r)).length} (${(100*a.filter(is).length/a.length).toFixed(1)})`
  console.log(t,'said',f(said),'unsaid',f(unsaid),'against',f(against),'of',rows.filter(is).length)
}
for (const r of rows.filter(r=>!is(r)&&ch(r)>=0.9)) console.log(r.label,ch(r).toFixed(3),saysThatItChanged(r.new)?'said':'',r.old,'|',r.new)
