import { generatedPart } from "@bursar/testkit/generatedPart"
import { finds } from "../plant/finds.ts"
import { coverageTables, markdownTable } from "./coverageTables.ts"
import type { Simulated } from "./simulate.ts"

/** The page of the manual that shows what a run came by, from the root of the repository. */
export const manualPage = "docs/contributing/simulation.md"

/** The list of planted mistakes, with the world in which each shows and the judge that finds it there. */
export const mistakesTable = (): ReadonlyArray<string> =>
  markdownTable([
    ["mistake", "world", "judge"],
    ...Object.entries(finds).map(([mistake, [seed, judge]]) => [mistake, String(seed), `\`${judge}\``])
  ])

/** A text of the manual with the list of planted mistakes as it is. */
export const withMistakes = (text: string): string => generatedPart(text, "mistakes", mistakesTable())

const rounded = (count: number): string => Math.round(count).toLocaleString("en")

/** A text of the manual with what a run came by. */
export const withCoverage = (
  text: string,
  { faults, minutes, tally, transitions, worlds }: Simulated,
  command: string
): string =>
  generatedPart(text, "coverage", [
    `\`${command}\`: ${rounded(worlds)} worlds, ${rounded(transitions)} transitions and ${rounded(faults)} faults at ${rounded(tally.places.size)} places, in ${minutes.toFixed(1)} minutes.`,
    "",
    ...coverageTables(tally)
  ])
