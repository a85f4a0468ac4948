/**
 * Calls `take` with every contender in turn, round after round. Each round begins with another one, so
 * that other work of the machine, and the garbage of a contender, burden all alike.
 *
 * @returns The results of each contender, by round, in the order of the contenders.
 */
export async function inRounds<Contender, Result>(
  contenders: readonly Contender[],
  rounds: number,
  take: (contender: Contender) => Promise<Result>,
): Promise<Result[][]> {
  const results: Result[][] = contenders.map(() => [])
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < contenders.length; turn += 1) {
      const place = (round + turn) % contenders.length
      // The place is within both arrays.
      results[place]?.push(await take(contenders[place] as Contender))
    }
  }
  return results
}
