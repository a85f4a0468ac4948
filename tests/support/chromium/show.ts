/** Writes a result into the page, where whoever opened it reads it. */
export function show(result: unknown): void {
  const output = document.querySelector('output')
  if (output) output.textContent = JSON.stringify(result)
}
