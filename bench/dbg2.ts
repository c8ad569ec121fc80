import { readFileSync } from 'node:fs'
import { mayBeRepetition } from '../packages/server/src/facts/same-words.js'
import { hasFiguresAndNamesOf } from '../packages/server/src/ingest/figures-and-names.js'
import { saysThatItChanged } from '../packages/server/src/language/words/change-words.js'
import { contentWords } from '../packages/server/src/language/words/words.js'
const rows = readFileSync('/tmp/held.jsonl','utf8').trim().split('\n').map((l)=>JSON.parse(l))
const negation = /(?<![\p{L}])(?:no|not|never|none|nobody|nothing|without|neither|nor|hardly|cannot)(?![\p{L}])|n['’]t(?![\p{L}])/giu
const wordsOf = (t:string)=> (t.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
function lcs(one:string[],two:string[]){let above=new Array(two.length+1).fill(0);for(const w of one){const row=[0];for(const [i,o] of two.entries())row.push(w===o?above[i]+1:Math.max(row[i],above[i+1]));above=row}return above.at(-1)}
const alike=(a:string,b:string)=>{const x=wordsOf(a),y=wordsOf(b);return lcs(x,y)/Math.max(x.length,y.length)}
const figs=(t:string)=>new Set(t.match(/\d+(?:[.,:]\d+)*/gu) ?? [])
const figsDiffer=(a:string,b:string)=>{const x=figs(a),y=figs(b);return [...x].some(v=>!b.includes(v)) && [...y].some(v=>!a.includes(v))}
const vetoes: Record<string,(o:string,n:string)=>boolean> = {
  none: ()=>false,
  may: (o,n)=>!mayBeRepetition(n,o),
  changed: (o,n)=>saysThatItChanged(n),
  neg: (o,n)=>(o.match(negation)?.length??0)!==(n.match(negation)?.length??0) && alike(o,n)>=0.5,
  alike6: (o,n)=>alike(o,n)>=0.6 && alike(o,n)<1,
  alike75: (o,n)=>alike(o,n)>=0.75 && alike(o,n)<1,
  figs: figsDiffer,
  figneither: (o,n)=>!hasFiguresAndNamesOf(o,n)&&!hasFiguresAndNamesOf(n,o),
  combo: (o,n)=>saysThatItChanged(n)||figsDiffer(o,n)||(alike(o,n)>=0.6&&alike(o,n)<1),
  combo2: (o,n)=>figsDiffer(o,n)||(!hasFiguresAndNamesOf(o,n)&&!hasFiguresAndNamesOf(n,o))||(alike(o,n)>=0.6&&alike(o,n)<1),
  combo3: (o,n)=>saysThatItChanged(n)||figsDiffer(o,n)||(!hasFiguresAndNamesOf(o,n)&&!hasFiguresAndNamesOf(n,o))||(alike(o,n)>=0.6&&alike(o,n)<1),
}
for (const t of [0.7,0.8,0.9,0.95]) for (const [name,v] of Object.entries(vetoes)) {
  let tp=0,fp=0,pos=0
  for (const r of rows) { const is=['same','refines'].includes(r.label); if(is)pos++; if (r.chances[0]+r.chances[1]>=t && !v(r.old,r.new)) is?tp++:fp++ }
  console.log(t,name.padEnd(10),`recall ${(100*tp/pos).toFixed(1)} precision ${(100*tp/(tp+fp)).toFixed(1)} fp ${fp}`)
}
console.log('--- false at .8 with combo3')
for (const r of rows) if (!['same','refines'].includes(r.label) && r.chances[0]+r.chances[1]>=0.8 && !vetoes.combo3!(r.old,r.new)) console.log(r.label, (r.chances[0]+r.chances[1]).toFixed(2), r.old,'|',r.new)
