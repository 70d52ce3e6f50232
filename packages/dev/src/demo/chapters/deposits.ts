import type { Client } from "@bursar/client"
import { Effect, Schema } from "effect"
import type { Network } from "@bursar/core/money/Network"
import type { HandshakeNetworks } from "@bursar/cli/config/Handshake"
import { ask, awaited, tell } from "../ask.ts"
import type { Chapter, Scene } from "../Scene.ts"
import { SceneFailed } from "../SceneFailed.ts"
import { externalWalletOn } from "../externalWallets.ts"

interface Coin {
  readonly currency: string
  readonly amount: string
}

/** What somebody sends on each network. */
const coins: Readonly<Record<keyof HandshakeNetworks, Coin>> = {
  ethereum: { currency: "USDT_ETH", amount: "250" },
  bsc: { currency: "USDT_BSC", amount: "250" },
  base: { currency: "USDC_BASE", amount: "250" },
  bitcoin: { currency: "BTC", amount: "0.05" },
  tron: { currency: "USDT_TRON", amount: "250" },
  stellar: { currency: "XLM", amount: "250" }
}

const Funded = Schema.Struct({ tx_hash: Schema.String })

/**
 * A new address. The service issues it and has its key; on stellar the account of such addresses would have to be opened
 * first, so the partner brings one of its own.
 */
const addressOn = Effect.fnUntraced(function* (client: Client, network: Network, reference: string) {
  if (network !== "stellar") {
    const { addresses } = yield* ask("client.depositAddresses.issue", (signal) =>
      client.depositAddresses.issue({ network, reference, count: 1 }, { signal })
    )
    return { address: addresses[0]?.address ?? "", how: "issued" }
  }
  const address = externalWalletOn("stellar")
  const { results } = yield* ask("client.depositAddresses.register", (signal) =>
    client.depositAddresses.register({ addresses: [{ network, address, reference }] }, { signal })
  )
  const refusal = results[0]?.error
  if (refusal) return yield* new SceneFailed({ message: `the address was refused: ${refusal.message}` })
  return { address, how: "registered" }
})

const depositOn = (network: keyof HandshakeNetworks): Scene => ({
  name: network,
  play: ({ client, handshake, inbox, run }, reached) =>
    Effect.gen(function* () {
      const { amount, currency } = coins[network]
      const reference = `customer-${network}-${run}`
      const { address, how } = yield* addressOn(client, network, reference)
      yield* reached(how)

      const faucet = `${handshake.networks[network].control_url}/fund`
      const funded = yield* tell(faucet, { address, asset: currency, amount })
      const { tx_hash } = yield* Effect.mapError(
        Schema.decodeUnknownEffect(Funded)(funded),
        ({ message }) => new SceneFailed({ message: `the faucet says ${message}` })
      )
      yield* reached("funded")

      const told = (stage: string) =>
        awaited(
          `the webhook deposit.${stage} for ${tx_hash}`,
          inbox.next(({ data, type }) => type === `deposit.${stage}` && data["reference"] === reference)
        )
      yield* told("detected")
      yield* reached("detected")
      yield* told("confirmed")
      yield* reached("confirmed")
      const credited = yield* told("settled")
      const { legs } = yield* ask("client.register.movements", (signal) =>
        client.register.movements(credited.resource.id, { signal })
      )
      const booked = legs.find(({ account }) => account === "float:available")?.amount
      if (booked?.amount !== amount || booked.currency !== currency) {
        return yield* new SceneFailed({
          message: `${amount} ${currency} were sent, and booked is ${JSON.stringify(legs)}`
        })
      }
      return `${amount} ${currency}: ${how}, funded, detected, confirmed, credited, told by webhook ${credited.id}`
    })
})

/** A deposit on every network. */
export const deposits: Chapter = {
  title: "Deposits",
  words:
    "An address on each network for a customer of the partner's, to which somebody sends money. The worker finds it on the\n" +
    "chain, waits until it is deep enough, and credits the partner's float.",
  // the keys of the record
  scenes: (Object.keys(coins) as ReadonlyArray<keyof HandshakeNetworks>).map(depositOn)
}
