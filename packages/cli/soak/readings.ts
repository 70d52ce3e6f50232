/** What a partner was told to be available, in base units, and when it asked and was answered, in milliseconds. */
export interface Reading {
  readonly from: number
  readonly to: number
  readonly available: bigint
}

/** A payment that lowers what is available by `units`, once, at a moment between its first request and its first answer. */
export interface Spent {
  readonly from: number
  readonly to: number
  readonly units: bigint
}

/** Sums of payments in the order of their moments, to be asked how much there was by a moment. */
const sumsBy = (spent: ReadonlyArray<Spent>, momentOf: (one: Spent) => number) => {
  const sorted = spent.toSorted((one, other) => momentOf(one) - momentOf(other))
  const moments = sorted.map(momentOf)
  const sums = [0n]
  for (const { units } of sorted) sums.push((sums.at(-1) ?? 0n) + units)
  return (moment: number): bigint => {
    let [low, high] = [0, moments.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((moments[middle] ?? 0) < moment) low = middle + 1
      else high = middle
    }
    return sums[low] ?? 0n
  }
}

/**
 * Readings that no order of the payments explains, which keeps the order of what did not overlap: what was acknowledged before a
 * reading was asked for is missing from what was available, what was asked for after its answer is not, and a later reading never
 * shows more than an earlier one. What is available only falls here, so this is what linearizability comes to.
 */
export const judgeReadings = (
  opening: bigint,
  spent: ReadonlyArray<Spent>,
  readings: ReadonlyArray<Reading>
): ReadonlyArray<string> => {
  const wrong: Array<string> = []
  const acknowledgedBy = sumsBy(spent, ({ to }) => to)
  const askedBy = sumsBy(spent, ({ from }) => from)
  const byEnd = readings.toSorted((one, other) => one.to - other.to)
  const byStart = readings.toSorted((one, other) => one.from - other.from)
  let least: bigint | undefined
  let ended = 0
  for (const { available, from, to } of byStart) {
    for (let one = byEnd[ended]; one !== undefined && one.to < from; one = byEnd[++ended]) {
      if (least === undefined || one.available < least) least = one.available
    }
    const at = `the reading from ${from} to ${to} says ${available}`
    if (available > opening - acknowledgedBy(from)) wrong.push(`${at}, although more was acknowledged before it`)
    if (available < opening - askedBy(to + 1)) wrong.push(`${at}, although less had been asked for`)
    if (least !== undefined && available > least) wrong.push(`${at}, and one before it said ${least}`)
  }
  return wrong
}
