import { AddressProof } from "@bursar/core/address/AddressProof"
import { UnprovenDeposit } from "@bursar/core/deposit/UnprovenDeposit"
import { xpubProofs, xpubSubject } from "@bursar/core/address/AddressProof"
import { putRecord, readGroup, readRecord } from "@bursar/core/engine/Records"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { looking, writing } from "../../fixtures/commands.ts"
import { newEvmAddress } from "../../fixtures/deposits.ts"
import { bareAddress, bareDeposit, difficultText } from "../../fixtures/records.ts"
import { newTenant } from "../../fixtures/tenants.ts"
import { TwoWriters } from "../harness.ts"
import { commit, type StorageIt } from "./services.ts"
import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { Deposit } from "@bursar/core/deposit/Deposit"

/** Proofs of addresses, and what waits for them. */
export const proofTests = (it: StorageIt, timeoutMs: number): void => {
  it.effect(
    "proofs and the deposits that wait for them are stored as they are, and found by what they prove",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const { first } = yield* TwoWriters
        const address = newEvmAddress()
        const proof = (subject: string): AddressProof => ({
          subject,
          network: "ethereum",
          address,
          message: difficultText,
          signature: difficultText,
          provenAt: 1_700_000_000_001
        })
        const [ofAddress, ofXpub] = [proof(`evm|${address}`), proof(xpubSubject(crypto.randomUUID()))]
        const waiting: Array<UnprovenDeposit> = []
        yield* commit(
          id,
          writing((view) => {
            const record = bareAddress(view, { address })
            const deposits = [1, 2].map(() => bareDeposit(view, record))
            waiting.push(
              ...deposits.map((deposit, index) => ({
                depositId: deposit.id,
                subject: ofAddress.subject,
                addressId: record.id,
                address,
                network: deposit.network,
                txHash: deposit.txHash,
                transferIndex: deposit.transferIndex,
                currency: deposit.currency,
                fromAddress: index === 0 ? null : difficultText,
                waits: true
              }))
            )
            return [
              putRecord(DepositAddress, record),
              ...deposits.map((deposit) => putRecord(Deposit, deposit)),
              ...waiting.map((one) => putRecord(UnprovenDeposit, one)),
              putRecord(AddressProof, ofAddress),
              putRecord(AddressProof, ofXpub)
            ]
          })
        )
        const found = yield* first.submit(
          id,
          looking(
            [
              readRecord(AddressProof, ofAddress.subject),
              readGroup(AddressProof, xpubProofs),
              readGroup(UnprovenDeposit, ofAddress.subject)
            ],
            (view) => [
              view.get(AddressProof, ofAddress.subject),
              view.group(AddressProof, xpubProofs),
              view.group(UnprovenDeposit, ofAddress.subject)
            ]
          )
        )
        assert.deepStrictEqual(found, [
          ofAddress,
          [ofXpub],
          waiting.toSorted((one, other) => (one.depositId < other.depositId ? -1 : 1))
        ])
        const [done] = waiting
        if (done === undefined) return assert.fail("nothing waits")
        yield* commit(
          id,
          writing(() => [putRecord(UnprovenDeposit, { ...done, waits: false })])
        )
        const left = yield* first.submit(
          id,
          looking([readGroup(UnprovenDeposit, ofAddress.subject)], (view) =>
            view.group(UnprovenDeposit, ofAddress.subject).map(({ depositId }) => depositId)
          )
        )
        assert.deepStrictEqual(left, [waiting[1]?.depositId])
        return undefined
      }),
    timeoutMs
  )
}
