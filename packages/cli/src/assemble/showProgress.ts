import type { Tenant } from "@bursar/core/tenant/Tenant"
import { Clock, Effect } from "effect"

/** Where progress is shown, if a person looks at it. */
export interface ProgressOutput {
  readonly isTTY?: boolean
  readonly write: (text: string) => unknown
}

/** A line is written anew this often at most. */
const everyMs = 250

/** To the start of the line, which is emptied. */
const anew = "\r\u001B[K"

/**
 * Shows on a terminal, in one line that is written anew, how many rows of which tenant were checked. Shows nothing where the output is none, so that
 * programs read what they always read.
 */
export const showProgress = (output: ProgressOutput) => {
  let read = { slug: "", rows: 0 }
  let shownAt: number | undefined
  const write = (text: string) => Effect.sync(() => void output.write(text))
  return {
    progress: ({ slug }: Pick<Tenant, "slug">, rows: number): Effect.Effect<void> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        read = { slug, rows: rows + (read.slug === slug ? read.rows : 0) }
        if (output.isTTY !== true || (shownAt !== undefined && now < shownAt + everyMs)) return Effect.void
        shownAt = now
        return write(`${anew}${slug}: ${read.rows.toLocaleString("en-US")} rows checked`)
      }),
    clear: Effect.suspend(() => (shownAt === undefined ? Effect.void : write(anew)))
  }
}
