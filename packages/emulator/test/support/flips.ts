/** Returns the text once for each of its bits, that bit flipped. */
export function everyFlip(text: string): string[] {
  return Array.from({ length: text.length * 8 }, (_, bit) => flip(text, bit >> 3, bit % 8))
}

/** Returns the text once for each of its bytes, one bit of it flipped, another bit for each byte. */
export function oneFlipOfEachByte(text: string): string[] {
  return Array.from({ length: text.length }, (_, index) => flip(text, index, (index * 3) % 8))
}

/** Flips one bit of the text. */
export function flip(text: string, index: number, bit: number): string {
  const flipped = String.fromCharCode(text.charCodeAt(index) ^ (1 << bit))
  return text.slice(0, index) + flipped + text.slice(index + 1)
}
