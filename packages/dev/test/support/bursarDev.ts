import { fileURLToPath } from "node:url"
import { startProgram, type Surroundings } from "../../../cli/test/support/bursar.ts"

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))

/** Starts `bursar-dev …`. It cannot outlive the test, however that ends. */
export const start = (args: ReadonlyArray<string>, surroundings: Surroundings = {}) =>
  startProgram(main, args, surroundings)
