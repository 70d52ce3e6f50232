/** Mutation of the domain: `npm run mutate -- money ledger`. What a run has found is kept, so the next one tries only what has changed. */
export default {
  testRunner: "vitest",
  vitest: { configFile: "vitest.mutate.config.ts", related: false },
  plugins: ["@stryker-mutator/vitest-runner", "./mutation/words.mjs"],
  ignorers: ["words"],
  coverageAnalysis: "perTest",
  // A table that is read when its module loads would want every test for each of its words.
  ignoreStatic: true,
  incremental: true,
  incrementalFile: ".mutation/found.json",
  tempDirName: ".mutation/sandbox",
  // The copy is none of the workspace's projects.
  ignorePatterns: ["dist", "tsconfig.json", "api-report.md", ".mutation"],
  reporters: ["clear-text"],
  clearTextReporter: { reportTests: false, logTests: false, allowEmojis: false },
  allowConsoleColors: false,
  concurrency: 1,
  timeoutMS: 15_000,
  timeoutFactor: 2,
  warnings: { slow: false },
  mutate: ["src/**/*.ts"]
}
