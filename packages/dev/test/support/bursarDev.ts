import { startProgram, type Surroundings } from "../../../cli/test/support/bursar.ts"
import { programAt } from "../../../cli/test/support/programAt.ts"

const main = programAt(new URL("../../src/main.ts", import.meta.url))

/** Starts `bursar-dev …`. It cannot outlive the test, however that ends. */
export const start = (args: ReadonlyArray<string>, surroundings: Surroundings = {}) =>
  startProgram(main, args, surroundings)
