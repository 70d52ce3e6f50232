import type { Network } from "@bursar/core/money/Network"
import { Effect } from "effect"
import { ask } from "../ask.ts"
import { settledBy } from "../outcome.ts"
import type { Chapter, Scene } from "../Scene.ts"
import { SceneFailed } from "../SceneFailed.ts"
import { externalWalletOn } from "../externalWallets.ts"

/** What is paid on each network. A payment of XLM also opens an account that does not exist yet. */
const amounts = {
  ethereum: { currency: "USDT_ETH", amount: "12.5" },
  bsc: { currency: "USDT_BSC", amount: "12.5" },
  base: { currency: "USDC_BASE", amount: "12.5" },
  bitcoin: { currency: "BTC", amount: "0.0125" },
  tron: { currency: "USDT_TRON", amount: "12.5" },
  stellar: { currency: "XLM", amount: "12.5" }
}

type Amount = (typeof amounts)[keyof typeof amounts]

const payoutOn = ([network, { amount: text, currency }]: readonly [Network, Amount]): Scene => ({
  name: network,
  play: (world, reached) =>
    Effect.gen(function* () {
      const { client, run } = world
      const amount = { amount: text, currency }
      const address = externalWalletOn(network)
      const estimate = yield* ask("client.chainPayouts.estimate", (signal) =>
        client.chainPayouts.estimate({ network, currency, amount: text, address }, { signal })
      )
      const reference = `invoice-${network}-${run}`
      const payout = { network, amount, destination: { address }, reference }
      const { id } = yield* ask("client.chainPayouts.create", (signal) =>
        client.chainPayouts.create(payout, { signal, idempotencyKey: reference })
      )
      yield* reached(`signed and accepted, fee ${estimate.fee.amount}`)
      const { operation } = yield* settledBy(world, reached, {
        id,
        kind: "chain_payout",
        read: (signal) => client.chainPayouts.get(id, { signal })
      })
      const { from_address, tx_hash } = operation
      const proof = yield* ask("client.withdrawals.prove", (signal) =>
        client.withdrawals.prove(
          {
            rail: { currency, network },
            tx_hash: tx_hash ?? "",
            destination: address,
            amount,
            senders: from_address === null ? [] : [from_address]
          },
          { signal }
        )
      )
      if (proof.verdict !== "PROVEN") {
        return yield* new SceneFailed({ message: `settled, but the chain says ${proof.verdict}: ${proof.reason}` })
      }
      return `${text} ${currency}: signed, sent, settled, proven on the chain by ${tx_hash?.slice(0, 12)}…`
    })
})

/** A signed payout on every network. */
export const payouts: Chapter = {
  title: "Payouts",
  words:
    "Payments to addresses that nobody has seen before. Each request is signed with the partner's own Ed25519 key; the vault\n" +
    "signs a transaction only for such a request. In the end the chain itself is asked for proof.",
  scenes: Object.entries(amounts).map(payoutOn)
}
