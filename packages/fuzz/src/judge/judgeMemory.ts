/** What was held after how many calls, once all garbage was collected. */
export interface Sample {
  readonly calls: number
  readonly bytes: number
}

const mebibyte = 1024 * 1024

/** Whole mebibytes. */
export const inMiB = (bytes: number): number => Math.round(bytes / mebibyte)

/** The part of a run in which caches fill and code is compiled. */
const warmUp = 0.5

/** Runs of fewer calls say nothing of a slope. */
export const callsMin = 8_000

/** What a run may grow by from its middle to its end: caches that still fill, */
const growthMaxBytes = 16 * mebibyte

/** and for each call what the local chains keep of it, which live in the same process and forget no block. */
const keptPerCallBytes = 2_048

/** What is held in the middle of a run and in its end, told as a line through all samples of its second half. */
export interface MemoryTrend {
  readonly fromMiB: number
  readonly toMiB: number
}

/** The line through the samples of the second half (least squares). */
export const trendOf = (samples: ReadonlyArray<Sample>): MemoryTrend => {
  const from = (samples.at(-1)?.calls ?? 0) * warmUp
  const warm = samples.filter(({ calls }) => calls >= from)
  const mean = (numbers: ReadonlyArray<number>) =>
    numbers.reduce((sum, one) => sum + one, 0) / Math.max(1, numbers.length)
  const x = mean(warm.map(({ calls }) => calls))
  const y = mean(warm.map(({ bytes }) => bytes))
  const spread = mean(warm.map(({ calls }) => (calls - x) ** 2))
  const slope = spread === 0 ? 0 : mean(warm.map(({ bytes, calls }) => (calls - x) * (bytes - y))) / spread
  const at = (calls: number) => inMiB(y + slope * (calls - x))
  return { fromMiB: at(from), toMiB: at(samples.at(-1)?.calls ?? 0) }
}

/** Whether what is held stays level from the middle of a run to its end. */
export const judgeMemory = (samples: ReadonlyArray<Sample>): ReadonlyArray<string> => {
  const { fromMiB, toMiB } = trendOf(samples)
  const calls = samples.at(-1)?.calls ?? 0
  const most = inMiB(growthMaxBytes + keptPerCallBytes * calls * (1 - warmUp))
  return calls >= callsMin && toMiB - fromMiB > most ? [`what is held grew from ${fromMiB} to ${toMiB} MiB`] : []
}
