/** How much memory was held after how many calls. */
export interface Sample {
  readonly calls: number
  readonly bytes: number
}

const mebibyte = 1024 * 1024

/** The part of a run that warms up: caches fill, code is compiled. */
const warmUp = 0.4

/** Runs that are shorter say nothing of a slope. */
const callsMin = 20_000

/** What a run may grow by after it has warmed up. The local chains live in the same process and keep their blocks. */
const growthMax = 96 * mebibyte

/** Memory after a run's warm-up, told as a line through all samples. */
export interface MemoryTrend {
  readonly fromMiB: number
  readonly toMiB: number
}

/** The line through the samples after the warm-up (least squares). */
export const trendOf = (samples: ReadonlyArray<Sample>): MemoryTrend => {
  const from = (samples.at(-1)?.calls ?? 0) * warmUp
  const warm = samples.filter(({ calls }) => calls >= from)
  const mean = (numbers: ReadonlyArray<number>) =>
    numbers.reduce((sum, one) => sum + one, 0) / Math.max(1, numbers.length)
  const x = mean(warm.map(({ calls }) => calls))
  const y = mean(warm.map(({ bytes }) => bytes))
  const spread = mean(warm.map(({ calls }) => (calls - x) ** 2))
  const slope = spread === 0 ? 0 : mean(warm.map(({ bytes, calls }) => (calls - x) * (bytes - y))) / spread
  const at = (calls: number) => Math.round((y + slope * (calls - x)) / mebibyte)
  return { fromMiB: at(from), toMiB: at(samples.at(-1)?.calls ?? 0) }
}

/** Whether memory stays level once a run has warmed up. */
export const judgeMemory = (samples: ReadonlyArray<Sample>): ReadonlyArray<string> => {
  const { fromMiB, toMiB } = trendOf(samples)
  const isLong = (samples.at(-1)?.calls ?? 0) >= callsMin
  return isLong && (toMiB - fromMiB) * mebibyte > growthMax ? [`memory grew from ${fromMiB} to ${toMiB} MiB`] : []
}
