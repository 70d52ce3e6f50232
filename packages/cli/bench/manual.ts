import { generatedPart } from "@bursar/testkit/generatedPart"
import { cpus, loadavg } from "node:os"
import { type Line, text } from "./line.ts"

/** The page of the manual that shows what was measured last, from the root of the repository. */
export const manualPage = "docs/operate/speed.md"

/** When and where something was measured. */
export interface Measured {
  readonly lines: ReadonlyArray<Line>
  readonly rounds: number
  readonly command: string
  readonly day: string
  readonly machine: string
}

/** The machine in a few words: processor, cores, Node, and how busy it has been in the last minute. */
export const machine = (): string => {
  const cores = cpus()
  const [load = 0] = loadavg()
  return `${cores.length} cores (${cores[0]?.model.trim() ?? "unknown"}), Node ${process.versions.node}, load ${load.toFixed(1)} at the start`
}

/** A text of the manual with what was measured of a row. */
export const withMeasured = (page: string, row: string, measured: Measured): string => {
  const { command, day, lines, rounds } = measured
  return generatedPart(page, row, [
    `\`${command}\`, ${day}${rounds === 1 ? "" : `, the median of ${rounds} rounds`}; ${measured.machine}:`,
    "",
    ...lines.map((line) => `- ${text(line)}`)
  ])
}
