import { DepositAddress } from "@bursar/core/address/DepositAddress"
import type { View } from "@bursar/core/engine/View"
import { putRecord } from "@bursar/core/engine/Records"
import type { Network } from "@bursar/core/money/Network"
import { type HeldAddress, Positions } from "@bursar/core/reconciliation/Positions"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { bareAddress } from "../../fixtures/records.ts"
import { newTenant } from "../../fixtures/tenants.ts"
import { newNetwork, type PositionsIt, write } from "./world.ts"

const walletAt = (view: Pick<View, "newId" | "now">, network: Network, address: string): PayoutWallet => ({
  id: view.newId(),
  network,
  role: "PAYOUT",
  address,
  seedId: null,
  custodied: { custody: "test", keyId: address },
  index: 0,
  nextSequence: null,
  nextSalt: 0,
  openTransactions: 0,
  committed: [],
  createdAt: view.now
})

/** Whose coins are counted: those on addresses whose keys the service holds, and no others. */
export const addressTests = (it: PositionsIt, timeoutMs: number): void => {
  it.effect(
    "lists the addresses whose keys the service holds on a network and its siblings, each once, page by page",
    () =>
      Effect.gen(function* () {
        const [network, sibling, stranger] = [newNetwork(), newNetwork(), newNetwork()]
        const [one, other] = [yield* newTenant(), yield* newTenant({ kind: "SANDBOX" })]
        yield* write(one.id, (view) => [
          putRecord(DepositAddress, bareAddress(view, { network, address: "0xB", origin: "ISSUED" })),
          putRecord(DepositAddress, bareAddress(view, { network: sibling, address: "0xB", origin: "ISSUED" })),
          putRecord(DepositAddress, bareAddress(view, { network, address: "0xC", origin: "IMPORTED", retiredAt: 1 })),
          putRecord(DepositAddress, bareAddress(view, { network, address: "0xD", origin: "REGISTERED" })),
          putRecord(
            DepositAddress,
            bareAddress(view, { network, address: "0xE", origin: "DERIVED", xpubId: view.newId(), derivationIndex: 0 })
          ),
          putRecord(DepositAddress, bareAddress(view, { network: stranger, address: "0xF", origin: "ISSUED" })),
          putRecord(PayoutWallet, walletAt(view, network, "0xa"))
        ])
        yield* write(other.id, (view) => [
          putRecord(DepositAddress, bareAddress(view, { network: sibling, address: "0xA", origin: "ISSUED" })),
          putRecord(PayoutWallet, walletAt(view, sibling, "0xG"))
        ])
        const { addresses } = yield* Positions
        const held: ReadonlyArray<HeldAddress> = [
          { address: "0xA", place: "deposits" },
          { address: "0xB", place: "deposits" },
          { address: "0xC", place: "deposits" },
          { address: "0xG", place: "payouts" },
          { address: "0xa", place: "payouts" }
        ]
        assert.deepStrictEqual(yield* addresses([network, sibling], null, 100), held)
        for (const limit of [1, 2, 3]) {
          const found: Array<HeldAddress> = []
          for (let more = true; more;) {
            const page = yield* addresses([network, sibling], found.at(-1)?.address ?? null, limit)
            found.push(...page)
            more = page.length === limit
          }
          assert.deepStrictEqual(found, held, `in pages of ${limit}`)
        }
        assert.deepStrictEqual(
          (yield* addresses([network], null, 100)).map(({ address }) => address),
          ["0xB", "0xC", "0xa"]
        )
        assert.deepStrictEqual(yield* addresses([newNetwork()], null, 100), [])
      }),
    timeoutMs
  )

  it.effect(
    "an address that is paid from counts as a wallet, whatever else it is",
    () =>
      Effect.gen(function* () {
        const network = newNetwork()
        const { id } = yield* newTenant()
        yield* write(id, (view) => [
          putRecord(DepositAddress, bareAddress(view, { network, address: "0xW", origin: "IMPORTED" })),
          putRecord(PayoutWallet, walletAt(view, network, "0xW"))
        ])
        assert.deepStrictEqual(yield* (yield* Positions).addresses([network], null, 10), [
          { address: "0xW", place: "payouts" }
        ])
      }),
    timeoutMs
  )
}
