/** The options of curl that the documentation uses, on top of fetch, so that the test runs on machines without curl. */
let [url, method, body] = []
const headers = {}
const words = process.argv.slice(2)
while (words.length > 0) {
  const word = words.shift()
  if (word === '-s') continue
  if (word === '-X') method = words.shift()
  else if (word === '-d') body = words.shift()
  else if (word === '-H') {
    const [, name, value] = /^([\w-]+): (.*)$/.exec(words.shift())
    headers[name] = value
  } else if (word.startsWith('-')) throw new Error(`curl.mjs does not support ${word}`)
  else url = word
}
const response = await fetch(url, { method: method ?? (body === undefined ? 'GET' : 'POST'), headers, body })
process.stdout.write(await response.text())
