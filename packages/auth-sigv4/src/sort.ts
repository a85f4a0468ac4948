/** Up to how many this is faster than V8's own sort. */
const few = 16

/**
 * Sorts in place, and keeps the order of equals. Requests have few headers and parameters, and V8's own
 * sort sets aside 800 bytes for however few.
 */
export function sort<T>(items: T[], compare: (a: T, b: T) => number): T[] {
  if (items.length > few) return items.sort(compare)
  // All places are within the array.
  for (let next = 1; next < items.length; next += 1) {
    const item = items[next] as T
    let place = next
    for (; place > 0 && compare(items[place - 1] as T, item) > 0; place -= 1) {
      items[place] = items[place - 1] as T
    }
    items[place] = item
  }
  return items
}
