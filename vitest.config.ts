import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const folders = [
  "packages/*/test",
  "packages/{custody,networks,providers,simulators,storage}/*/test",
  "examples/*/test",
  "scripts/test"
]
const unit = folders.map((folder) => `${folder}/**/*.test.ts`)
const hunts = folders.flatMap((folder) => [`${folder}/**/readers.test.ts`, `${folder}/**/hunt.test.ts`])
const integration = folders.map((folder) => `${folder}/**/*.integration.test.ts`)
/** Integration tests that start the service's own processes, or load what belongs to a process as a whole. */
const processes = ["packages/{cli,dev,fuzz}/test", "packages/custody/*/test"].map(
  (folder) => `${folder}/**/*.integration.test.ts`
)

/** Files that take half a minute or more, the slowest first. */
const slow = [
  "cli/test/checker",
  "fuzz/test/fuzz",
  "cli/test/networks",
  "networks/evm/test/networkAdapter",
  "cli/test/kills",
  "cli/test/consoleDay",
  "networks/bitcoin/test/networkAdapter",
  "cli/test/console",
  "dev/test/demoTutorial",
  "cli/test/operating",
  "dev/test/dev",
  "cli/test/consoleScreens",
  "cli/test/consoleLive",
  "dev/test/demo",
  "simulation/test/postgres",
  "simulators/postgres/test/EmbeddedPostgres",
  "cli/test/payouts",
  "cli/test/grants",
  "cli/test/sweeps",
  "cli/test/attacks",
  "cli/test/grantImport",
  "cli/test/soakTraders",
  "cli/test/twoNodes",
  "networks/bitcoin/test/Sender",
  "cli/test/cli",
  "dev/test/upgrade",
  "storage/postgres/test/contracts",
  "client/test/guides",
  "cli/test/nodeFaults",
  "cli/test/audit",
  "cli/test/operatorLogin",
  "cli/test/signedOrders",
  "books/test/loaded"
].map((name) => `packages/${name}.integration.test.ts`)

/** A clean checkout knows no times of earlier runs: without them a slow file may start last, and everything waits for it. */
class SlowestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    const place = ({ moduleId }: TestSpecification) => {
      const found = slow.findIndex((name) => moduleId.endsWith(name))
      return found === -1 ? slow.length : found
    }
    // the sorter's own method, not an array's
    // oxlint-disable-next-line unicorn/no-array-sort
    const asBefore = await super.sort(files)
    return asBefore.toSorted((a, b) => place(a) - place(b))
  }
}

/** What integration tests share. */
const databases = {
  // One PostgreSQL for the whole run; each suite makes its own database on it.
  globalSetup: ["packages/simulators/postgres/src/testing/globalSetup.ts"],
  // These start databases and nodes of their own, and wait for them much of the time: four files at once fill two cores.
  maxWorkers: 4,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // After the unit tests, which say sooner what is wrong.
  sequence: { groupOrder: 2 }
}

export default defineConfig({
  test: {
    passWithNoTests: true,
    teardownTimeout: 30_000,
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        test: {
          name: "unit",
          include: unit,
          exclude: [...integration, ...hunts],
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
          name: "hunt",
          include: hunts,
          // They count by V8 what runs, which takes the longer the more has been loaded: each file has a process of its own.
          isolate: true,
          maxWorkers: "100%",
          testTimeout: 20_000,
          sequence: { groupOrder: 1 }
        }
      },
      {
        test: {
          name: "integration",
          include: integration,
          exclude: processes,
          // Each has a database, nodes and ports of its own, and loading the same modules anew took longer than the tests.
          isolate: false,
          ...databases
        }
      },
      {
        test: {
          name: "processes",
          include: processes,
          ...databases,
          globalSetup: [...databases.globalSetup, "scripts/testPrograms.mjs"]
        }
      }
    ]
  }
})
