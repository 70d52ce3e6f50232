import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { ExamplesFirst, fewCases } from "./mutation/fewCases.ts"
import { keepWorker } from "./mutation/keptWorker.ts"

/** The folders whose tests have to find a mutant: those of its own folder and what is named beside it. */
const folders = (process.env["MUTATE_TESTS"] ?? "**").split(",")

export default defineConfig({
  plugins: [fewCases, keepWorker],
  // Whoever imports the domain gets that of this folder: the copy in which a mutant is.
  resolve: {
    alias: [{ find: /^@bursar\/core\/(.*)$/u, replacement: `${fileURLToPath(new URL("src/", import.meta.url))}$1.ts` }]
  },
  test: {
    include: folders.map((folder) => `test/${folder}/**/*.test.ts`),
    isolate: false,
    sequence: { sequencer: ExamplesFirst },
    // what a mutant leaves waiting for ever
    testTimeout: 10_000
  }
})
