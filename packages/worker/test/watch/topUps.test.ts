import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { putRecord } from "@bursar/core/engine/Records"
import { Writer } from "@bursar/core/engine/Writer"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { writing } from "@bursar/testkit/fixtures/commands"
import { keyed, newAddress, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { transferTo } from "@bursar/testkit/fixtures/transfers"
import { assert, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { available, begin, caughtUp, ethereum, oneProcess, ticks, untilStatuses, watching } from "./world.ts"

it.effect("coin that our wallet sent to an address waits, and counts for nothing once it is known to be for fees", () =>
  Effect.gen(function* () {
    yield* begin
    const chain = ethereum()
    const { id } = yield* newTenant()
    const writer = yield* Writer
    const key = { role: "PAYOUT", seedId: crypto.randomUUID(), index: 0, ...keyed(newEvmAddress()) } as const
    const wallet = yield* writer.submit(id, addWallet({ network: "ethereum", ...key }, presetNetworks))
    const address: DepositAddress = { ...(yield* newAddress(id)), origin: "ISSUED", seedId: "seed", derivationIndex: 0 }
    yield* writer.submit(
      id,
      writing(() => [putRecord(DepositAddress, address)])
    )
    const logged: Array<string> = []
    const logger = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
    yield* Effect.forkScoped(watching(chain).pipe(Effect.provide(logger)))
    yield* caughtUp(chain)
    const topUp = transferTo(address.address, 7n, { from: wallet.address })
    chain.mine([topUp])
    chain.mineMany(5)
    yield* caughtUp(chain)
    yield* ticks(3)
    yield* untilStatuses(id, "DETECTED")
    // its database was restored, and only now has what the signer remembers
    const attempt: TransactionAttempt = {
      ...{ network: "ethereum", hash: topUp.txHash, transactionId: "ours", raw: new Uint8Array(), validUntil: null },
      ...{ replaces: null, pays: [], feeMax: 0n, signedAt: 0, sentAt: null }
    }
    yield* writer.submit(
      id,
      writing(() => [putRecord(TransactionAttempt, attempt)])
    )
    chain.mine([transferTo(address.address, 5n), transferTo(address.address, 4n)])
    chain.mineMany(5)
    yield* untilStatuses(id, "REORGED", "CONFIRMED", "CONFIRMED")
    assert.strictEqual(yield* available(id), 9n)
    const told = logged.filter((name) => ["deposit.reorged", "deposit.confirmed"].includes(name))
    assert.sameMembers(told, ["deposit.confirmed", "deposit.confirmed", "deposit.reorged"])
  }).pipe(Effect.provide(oneProcess()))
)
