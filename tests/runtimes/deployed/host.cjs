// Loads a function and calls it with each event, one after the other, as its host does in a process that is warm.
const [, , file, ...events] = process.argv

async function run() {
  const { handler } = file.endsWith('.cjs') ? require(file) : await import(file)
  const results = []
  for (const event of events) results.push(await handler(JSON.parse(event)))
  console.log(JSON.stringify(results))
}

void run()
