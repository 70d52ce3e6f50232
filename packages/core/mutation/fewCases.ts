import { readFileSync } from "node:fs"
import type { Plugin } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const generates = ({ moduleId }: TestSpecification): boolean => readFileSync(moduleId, "utf8").includes('"fast-check"')

/** Whatever an example finds, no cases are generated for. */
export class ExamplesFirst extends BaseSequencer {
  override sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return Promise.resolve(files.toSorted((one, other) => Number(generates(one)) - Number(generates(other))))
  }
}

/** Gives the tests a fast-check that tries few cases. */
export const fewCases: Plugin = {
  name: "few-cases",
  enforce: "pre",
  resolveId: (id, importer) =>
    id === "fast-check" && !importer?.endsWith("/fastCheck.ts")
      ? new URL("fastCheck.ts", import.meta.url).pathname
      : null
}
