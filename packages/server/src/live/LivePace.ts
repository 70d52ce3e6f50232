import { Context } from "effect"

/** How a process follows what happens, and whom it tells. */
export interface LiveSettings {
  /** How often the heads are read while somebody follows, in milliseconds. */
  readonly lookEveryMs: number
  /** How often a stream says that it is there, in milliseconds. */
  readonly beatEveryMs: number
  /** How often it is checked that a stream's session still lives, in milliseconds. */
  readonly checkEveryMs: number
  readonly streamsMax: number
  readonly streamsPerOperatorMax: number
}

/** The pace of a process, and its bounds. */
export const LivePace = Context.Reference<LiveSettings>("@bursar/server/live/LivePace", {
  defaultValue: () => ({
    lookEveryMs: 1_000,
    beatEveryMs: 15_000,
    checkEveryMs: 5_000,
    streamsMax: 100,
    streamsPerOperatorMax: 16
  })
})
