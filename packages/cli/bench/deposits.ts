import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { keysAt } from "@bursar/testkit/fixtures/deposits"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { confirmDeposits } from "@bursar/core/incoming/confirmDeposits"
import { recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import { Writer } from "@bursar/core/engine/Writer"
import { localCurrencies } from "../test/support/localCurrencies.ts"
import type { Tenant } from "@bursar/core/tenant/Tenant"
import { Clock, Effect } from "effect"

const depositsPerBlock = 200

const hex = (n: number, digits: number) => `0x${n.toString(16).padStart(digits, "0")}`

/**
 * Deposits per second of one tenant from found in a block to credited: recorded as the watcher records a block of 200,
 * then confirmed, each with its rows, events, legs and balances. It ends after some seconds, or with so many.
 */
export const ingest = Effect.fnUntraced(function* (tenant: Tenant, seconds: number, most = Infinity) {
  const writer = yield* Writer
  const registered = yield* writer.submit(
    tenant.id,
    registerAddresses(
      Array.from({ length: depositsPerBlock }, (_, index) => ({
        _tag: "Valid" as const,
        network: "ethereum" as const,
        address: hex(index, 40),
        keys: keysAt(hex(index, 40)),
        reference: `bench-${index}`,
        watchFrom: null,
        watchFromBlock: null
      }))
    )
  )
  const addresses = registered.flatMap((result) => (result.status === "refused" ? [] : [result.address]))
  const started = yield* Clock.currentTimeMillis
  let count = 0
  for (let number = 1; count < most && (yield* Clock.currentTimeMillis) < started + seconds * 1000; number++) {
    const block = { number, hash: hex(number, 64), time: started }
    const deposits = yield* writer.submit(
      tenant.id,
      recordIncomingTransfers(
        {
          network: "ethereum",
          requiredConfirmations: 3,
          incomingTransfers: addresses.map(({ address, id }, index) => ({
            network: "ethereum",
            txHash: hex(number * depositsPerBlock + index, 64),
            transferIndex: 0,
            addressId: id,
            address,
            keys: keysAt(address),
            currency: "USDT_ETH",
            units: 1_000_000n,
            fromAddress: null,
            block,
            confirmations: 1
          }))
        },
        localCurrencies
      )
    )
    yield* writer.submit(
      tenant.id,
      confirmDeposits(
        deposits.map((deposit) => ({ deposit, blockHash: block.hash, confirmations: 3 })),
        localCurrencies,
        nothingUndecided
      )
    )
    if (deposits.length !== depositsPerBlock)
      return yield* Effect.die(new Error(`${deposits.length} of ${depositsPerBlock} transfers became deposits`))
    count += deposits.length
  }
  const took = ((yield* Clock.currentTimeMillis) - started) / 1000
  return { perSecond: count / took, count }
})
