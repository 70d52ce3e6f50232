import { defineConfig } from "vitest/config"

const folders = [
  "packages/*/test",
  "packages/{custody,networks,providers,simulators,storage}/*/test",
  "examples/*/test",
  "scripts/test"
]
const unit = folders.map((folder) => `${folder}/**/*.test.ts`)
const integration = folders.map((folder) => `${folder}/**/*.integration.test.ts`)

export default defineConfig({
  test: {
    passWithNoTests: true,
    teardownTimeout: 30_000,
    projects: [
      {
        test: {
          name: "unit",
          include: unit,
          exclude: integration,
          // These touch nothing outside themselves, so the files of a worker can share what they import.
          isolate: false,
          maxWorkers: "100%",
          testTimeout: 20_000,
          hookTimeout: 20_000,
          sequence: { groupOrder: 1 }
        }
      },
      {
        test: {
          name: "integration",
          include: integration,
          // One PostgreSQL for the whole run; each suite makes its own database on it.
          globalSetup: ["packages/simulators/postgres/src/testing/globalSetup.ts"],
          // These start databases and nodes of their own, and wait for them much of the time: three files at once fill two cores.
          maxWorkers: 3,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // After the unit tests, which say sooner what is wrong.
          sequence: { groupOrder: 2 }
        }
      }
    ]
  }
})
