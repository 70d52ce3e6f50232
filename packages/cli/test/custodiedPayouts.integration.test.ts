import { evmDefaults } from "@bursar/cli/config/NetworkSettings"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { checkTenant } from "@bursar/core/checker/checkTenant"
import * as Writer from "@bursar/core/engine/Writer"
import { of } from "@bursar/core/money/Amount"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { Queries } from "@bursar/core/store/Queries"
import { EvmDevnet } from "@bursar/simulator-evm"
import * as Sender from "@bursar/worker/sender/Sender"
import { defaultSendLimits } from "@bursar/worker/transactions/SendLimits"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { newTokens, softHsm, testPin } from "../../custody/pkcs11/test/support/softHsm.ts"
import { type CustodySettings, noCustodies } from "../src/config/CustodySettings.ts"
import { portsOver } from "./support/ports.ts"
import { signingTenant } from "./support/signedPayouts.ts"
import { migratedDatabase } from "./support/world.ts"
import { localCurrencies } from "./support/localCurrencies.ts"

const limits = {
  ...defaultSendLimits,
  idleMs: 100,
  checkFirstMs: 300,
  checkLongestMs: 1_000,
  retryFirstMs: 200,
  retryLongestMs: 400
}

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "bursar-custodied-payouts-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const receiver = (n: number): string => `0x${(0xabc0_0000 + n).toString(16).padStart(40, "0")}`

/** Pays from a wallet whose key a custody holds, on a real node, until everything has settled. */
const payFrom = Effect.fnUntraced(function* (name: "sealed" | "pkcs11", custody: CustodySettings) {
  const devnet = yield* EvmDevnet.make({ network: "ethereum", slotsInEpoch: 1 })
  const { url } = yield* migratedDatabase
  const node = {
    ...evmDefaults,
    environment: "SANDBOX",
    network: "ethereum",
    rpcUrl: Redacted.make(devnet.rpcUrl)
  } as const
  const ports = portsOver(url, [{ ...node, confirmations: 3, pollIntervalMs: 200 }], custody)
  yield* Effect.gen(function* () {
    const { id, pay, wallet } = yield* signingTenant("ethereum", name)
    assert.isNull(wallet.seedId)
    assert.strictEqual(wallet.custodied?.custody, name)
    const [writer, queries] = [yield* Writer.Writer, yield* Queries]
    const funded = { amount: of(10n ** 18n, "ETH"), against: "chain:ethereum:payouts", reason: "funded" } as const
    yield* writer.submit(id, adjustFloat(funded))
    yield* devnet.faucet.rpc("anvil_setBalance", [wallet.address, "0x8ac7230489e80000"])
    yield* devnet.faucet.mine(3)
    const made = yield* Effect.forEach([0, 1, 2, 3, 4], (n) => pay("ETH", "0.01", receiver(n)))
    yield* Effect.forkScoped(Effect.repeat(devnet.faucet.mine(1), Schedule.spaced("500 millis")))
    yield* Effect.forkScoped(Sender.run({ currencies: localCurrencies, limits }))
    yield* Effect.repeat(
      Effect.forEach(made, (one) => queries.operation(id, one.id)),
      { until: (all) => all.every((one) => one?.status === "SETTLED"), schedule: Schedule.spaced("300 millis") }
    )
    for (const n of [0, 1, 2, 3, 4]) {
      assert.strictEqual(yield* devnet.faucet.rpc("eth_getBalance", [receiver(n), "latest"]), "0x2386f26fc10000")
    }
    for (const { firstWrong, invariant } of yield* (yield* LedgerSnapshot).snapshot(id, checkTenant)) {
      assert.isNull(firstWrong, invariant)
    }
  }).pipe(Effect.provide(ports))
})

describe("paying from a wallet whose key a custody holds", () => {
  it.live("sealed files sign what a real node takes", () =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* payFrom("sealed", { ...noCustodies, names: ["sealed"], directory: yield* folder })
      })
    )
  )
})

describe.skipIf(softHsm.skipped !== "")(`paying from a wallet on a token of SoftHSM${softHsm.skipped}`, () => {
  it.live("the token signs what a real node takes", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const pinFile = join(yield* folder, "pin")
        writeFileSync(pinFile, testPin, { mode: 0o600 })
        yield* Effect.acquireRelease(
          Effect.sync(() => newTokens(["payouts"])),
          ({ remove }) => Effect.sync(remove)
        )
        const pkcs11 = { module: softHsm.module ?? "", token: "payouts", pinFile, sessionsMax: 4, wrappingKey: null }
        yield* payFrom("pkcs11", { ...noCustodies, names: ["pkcs11"], pkcs11 })
      })
    )
  )
})
