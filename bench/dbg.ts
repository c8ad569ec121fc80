import { readFileSync } from 'node:fs'
import { openLocalJudge } from '../packages/server/src/models/judge/judge.js'
import { mayBeRepetition } from '../packages/server/src/facts/same-words.js'
import { hasFiguresAndNamesOf } from '../packages/server/src/ingest/figures-and-names.js'
import { saysThatItChanged } from '../packages/server/src/language/words/change-words.js'
const judge = await openLocalJudge()
const rows = readFileSync('bench/understanding/cases/natural/dev.jsonl','utf8').trim().split('\n').map((l)=>JSON.parse(l))
for (const r of rows.filter((r)=>r.expect.same.length>0)) for (const [a,b] of r.expect.same) {
  const [old, fresh] = [r.turns[a].content, r.turns[b].content]
  const [j] = await judge.judge([{old, fresh, follows:false}])
  const c = j!.chances
  console.log(r.id, `same ${c.same.toFixed(2)} ref ${c.refines.toFixed(2)} rep ${c.replaces.toFixed(2)} adds ${c.adds.toFixed(2)} un ${c.unrelated.toFixed(2)}`, 'may',mayBeRepetition(fresh,old),'noMore',hasFiguresAndNamesOf(old,fresh),'all',hasFiguresAndNamesOf(fresh,old),'chg',saysThatItChanged(fresh),'|',old,'|',fresh)
}
const lost: [string,string][] = [["training for the Valencia marathon, doing 60k a week","physio cut me down to 25k a week until the shin settles"],["We do the all-hands on the first Monday of the month, 16:00, in the canteen","heads up, all-hands won't be in the canteen any more, facilities gave us the atrium"],["I work out of the Lyon office.","My manager moved over to Geneva last week, so everything's on Zoom with her"],["I own a flat in Porto that I let to tourists","Closed on a little house in Braga yesterday, the Porto one paid for it basically"]]
for (const [old,fresh] of lost) { const [j]=await judge.judge([{old,fresh,follows:false}]); console.log(JSON.stringify(j!.chances), j!.words.map(w=>old.slice(w.start,w.end)+':'+w.outdated.toFixed(2)).join(' ')) }
await judge.close()
