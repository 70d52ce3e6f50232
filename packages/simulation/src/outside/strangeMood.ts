import type { Random } from "../kernel/Random.ts"
import type { FaultKind, Faults } from "./Faults.ts"

/** What is wrong with a node of another operator for a while. */
export type Mood = "honest" | "behind" | "elsewhere" | "settling" | "forgetting" | "poor"

/** How each begins. */
const moods: ReadonlyArray<readonly [FaultKind, Mood]> = [
  ["second.lags", "behind"],
  ["second.forges", "elsewhere"],
  ["second.settles", "settling"],
  ["second.forgets", "forgetting"],
  ["second.understates", "poor"]
]

/** How the moods of a node are drawn. */
export interface MoodOptions {
  readonly faults: Faults
  readonly random: Random
  readonly now: () => number
  readonly note: (what: string) => void
  /** Moods that a node of this network cannot have. */
  readonly without?: ReadonlySet<Mood>
  /** Is called when a mood begins. */
  readonly begun?: () => void
}

/** The mood of a node now: each lasts for a while, and once nothing goes wrong any more the node is honest. */
export const strangeMood = ({ begun, faults, note, now, random, without }: MoodOptions): (() => Mood) => {
  const possible = moods.filter(([, one]) => without?.has(one) !== true)
  let mood: Mood = "honest"
  let until = 0
  return () => {
    if (faults.over()) return "honest"
    if (now() < until) return mood
    until = now() + 10_000 + random.below(20_000)
    mood = possible.find(([kind]) => faults.strikes(kind))?.[1] ?? "honest"
    begun?.()
    if (mood !== "honest") note(`the second node is ${mood}`)
    return mood
  }
}
