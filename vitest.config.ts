import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { useMemoryFolder } from "./scripts/memoryFolder.mjs"

useMemoryFolder()

const folders = [
  "packages/*/test",
  "packages/{custody,networks,providers,simulators,storage}/*/test",
  "examples/*/test",
  "scripts/test"
]
const unit = folders.map((folder) => `${folder}/**/*.test.ts`)
const hunts = folders.flatMap((folder) => [`${folder}/**/readers.test.ts`, `${folder}/**/hunt.test.ts`])
const integration = folders.map((folder) => `${folder}/**/*.integration.test.ts`)
/** Whole days on the service's own programs, attacks and kills of it, and simulated worlds: `npm test` leaves them out, `npm run test:long` runs them. */
const long = folders.map((folder) => `${folder}/**/*.long.test.ts`)
/** Integration tests that start the service's own programs. */
const services = ["packages/{cli,dev,fuzz}/test/**/*.integration.test.ts"]
/** Integration tests that load or set what belongs to a process as a whole: a PKCS #11 module, and credentials in the environment. */
const processes = [
  "packages/custody/*/test/**/*.integration.test.ts",
  "packages/cli/test/{ceremony,custodied*}.integration.test.ts"
]

/** Files that take a quarter of a minute or more, or half a minute as integration tests, the slowest first. */
const slow = [
  "packages/simulation/test/mistakes.long.test.ts",
  "packages/simulation/test/worlds.long.test.ts",
  "packages/simulation/test/run.test.ts",
  "examples/solvency-verify/test/verify.test.ts",
  "packages/worker/test/transactions/chaos.test.ts",
  "packages/cli/test/unwatched.test.ts",
  "packages/networks/tron/test/fuzz.test.ts",
  "packages/client/test/neutral.test.ts",
  "packages/worker/test/sweep/chaos.test.ts",
  "packages/cli/test/checker.long.test.ts",
  "packages/cli/test/kills.long.test.ts",
  "packages/cli/test/consoleDay.long.test.ts",
  "packages/cli/test/networks.long.test.ts",
  "packages/networks/evm/test/networkAdapter.integration.test.ts",
  "packages/networks/bitcoin/test/networkAdapter.integration.test.ts",
  "packages/cli/test/operating.long.test.ts",
  "packages/dev/test/dev.long.test.ts",
  "packages/dev/test/demoTutorial.long.test.ts",
  "packages/fuzz/test/fuzz.long.test.ts",
  "packages/cli/test/console.long.test.ts",
  "packages/cli/test/consoleScreens.long.test.ts",
  "packages/cli/test/consoleLive.long.test.ts",
  "packages/cli/test/consoleTogether.long.test.ts",
  "packages/cli/test/soakTraders.long.test.ts",
  "packages/dev/test/upgrade.long.test.ts",
  "packages/dev/test/demo.long.test.ts",
  "packages/cli/test/attacks.long.test.ts",
  "packages/storage/postgres/test/contracts.integration.test.ts",
  "packages/cli/test/crash.long.test.ts",
  "packages/cli/test/fiat.integration.test.ts",
  "packages/client/test/guides.integration.test.ts",
  "packages/cli/test/grants.long.test.ts",
  "packages/cli/test/cli.integration.test.ts",
  "packages/cli/test/grantImport.integration.test.ts",
  "packages/cli/test/twoNodes.long.test.ts",
  "packages/simulation/test/postgres.integration.test.ts",
  "packages/simulators/postgres/test/EmbeddedPostgres.integration.test.ts",
  "packages/cli/test/payouts.integration.test.ts",
  "packages/books/test/loaded.integration.test.ts",
  "packages/cli/test/nodeFaults.long.test.ts",
  "packages/cli/test/operatorLogin.integration.test.ts",
  "packages/cli/test/sweeps.long.test.ts",
  "packages/cli/test/roles.integration.test.ts",
  "packages/cli/test/audit.integration.test.ts",
  "packages/dev/test/approvers.integration.test.ts",
  "packages/networks/bitcoin/test/Sender.integration.test.ts",
  "packages/cli/test/configuredNetwork.integration.test.ts",
  "packages/cli/test/reconciliation.integration.test.ts",
  "packages/cli/test/custodiedReserves.integration.test.ts",
  "packages/cli/test/signedOrders.integration.test.ts"
]

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

/** How long a test may take at most. It only ends one that hangs: a busy machine takes several times as long as a quiet one. */
const unitMsMax = 60_000
const integrationMsMax = 360_000

/** What integration tests share. */
const databases = {
  // One PostgreSQL for the whole run; each suite makes its own database on it.
  globalSetup: ["packages/simulators/postgres/src/testing/globalSetup.ts"],
  // These start databases and nodes of their own, and wait for them much of the time: four files at once fill two cores.
  maxWorkers: 4,
  testTimeout: integrationMsMax,
  hookTimeout: integrationMsMax,
  // After the unit tests, which say sooner what is wrong.
  sequence: { groupOrder: 2 }
}

/** What those share that start our programs. */
const withPrograms = { ...databases, globalSetup: [...databases.globalSetup, "scripts/testPrograms.mjs"] }

/** Node itself loads the tests and what they test, as it loads the programs: compiled once, and imports cost nothing in loops. */
const natively = { experimental: { viteModuleRunner: false, nodeLoader: false } }

export default defineConfig({
  test: {
    passWithNoTests: true,
    teardownTimeout: 30_000,
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        test: {
          name: "unit",
          ...natively,
          include: unit,
          exclude: [...integration, ...hunts, ...long],
          // These touch nothing outside themselves, so the files of a worker can share what they import.
          isolate: false,
          maxWorkers: "100%",
          testTimeout: unitMsMax,
          hookTimeout: unitMsMax,
          sequence: { groupOrder: 1 }
        }
      },
      {
        test: {
          name: "hunt",
          ...natively,
          include: hunts,
          // They count by V8 what runs, which takes the longer the more has been loaded: each file has a process of its own.
          isolate: true,
          maxWorkers: "100%",
          testTimeout: unitMsMax,
          sequence: { groupOrder: 1 }
        }
      },
      {
        test: {
          name: "integration",
          ...natively,
          include: integration,
          exclude: [...services, ...processes],
          // Each has a database, nodes and ports of its own, and loading the same modules anew took longer than the tests.
          isolate: false,
          ...databases
        }
      },
      {
        test: {
          name: "services",
          ...natively,
          include: services,
          exclude: processes,
          isolate: false,
          ...withPrograms
        }
      },
      {
        test: {
          name: "long",
          ...natively,
          include: long,
          isolate: false,
          ...withPrograms
        }
      },
      {
        test: {
          name: "processes",
          ...natively,
          include: processes,
          ...withPrograms
        }
      }
    ]
  }
})
