import { Context, Effect, Layer, Result } from "effect"
import type { KeyedAddress, KeyName } from "../engine/Directory.ts"
import type { Network, NetworkTraits } from "../money/Network.ts"
import { AddressFormats } from "./AddressFormats.ts"
import { type ChainReader, Chains } from "./Chain.ts"
import { type ChainSender, ChainSenders, type TransactionFormat, TransactionFormats } from "./ChainSender.ts"
import { type CheckedXpub, Derivations, type XpubRefused } from "./Derivations.ts"
import { MessageProofs } from "./MessageProofs.ts"

/** How addresses of a network follow from keys, and what is signed with them. Pure, but for the time that deriving takes. */
export interface NetworkKeys {
  /** Checks an account's extended public key. */
  readonly parse: (text: string) => Result.Result<CheckedXpub, XpubRefused>
  /** The canonical addresses of `count` indexes from `from` on, below an account's canonical key, with the names of their keys. */
  readonly derive: (account: string, from: number, count: number) => Effect.Effect<ReadonlyArray<KeyedAddress>>
  /** The canonical addresses of a public key: 33 bytes of secp256k1, 32 of ed25519. */
  readonly addressesOf: (publicKey: Uint8Array) => ReadonlyArray<string>
  /** The names of the key behind a canonical address, as far as the address tells. */
  readonly keysOf: (address: string) => ReadonlyArray<KeyName>
  /** The names that a public key has by the addresses of this network. */
  readonly keysOfPublicKey: (publicKey: Uint8Array) => ReadonlyArray<KeyName>
  /** Whether the key of a canonical address has signed a text, in the form that is usual on the network. False on junk. */
  readonly verifyMessage: (address: string, message: string, signature: string) => Effect.Effect<boolean>
}

/** One network: what is known of it, and all that reads and writes it. */
export interface NetworkAdapter {
  readonly traits: NetworkTraits
  /** Gives the canonical form of a valid address, or says in words why it is none. Pure. */
  readonly parseAddress: (text: string) => Result.Result<string, string>
  readonly keys: NetworkKeys
  /** How its transactions are written: what signs reads with it what it is asked to sign. Pure. */
  readonly codec: TransactionFormat
  readonly reader: ChainReader
  readonly sender: ChainSender
}

/** The networks that are switched on, each by its one adapter. */
export class Networks extends Context.Service<
  Networks,
  {
    readonly enabled: ReadonlyArray<Network>
    readonly get: (network: Network) => NetworkAdapter | undefined
  }
>()("@bursar/core/port/Networks") {}

/** The names of a public key in the forms of networks of its curve, whether they are switched on or not. */
export interface KeyForm {
  readonly curve: NetworkTraits["keyPaths"]["curve"]
  readonly keysOfPublicKey: (publicKey: Uint8Array) => ReadonlyArray<KeyName>
}

/** The networks of some adapters. A name that stands twice is a mistake of the configuration and throws. */
export const makeNetworks = (adapters: ReadonlyArray<NetworkAdapter>): Networks["Service"] => {
  const byName = new Map(adapters.map((adapter) => [adapter.traits.name, adapter]))
  if (byName.size !== adapters.length) throw new Error("a network has two adapters")
  return Networks.of({ enabled: [...byName.keys()], get: (network) => byName.get(network) })
}

/**
 * The ports of the parts of all adapters: a handler that needs one part of a network asks for that alone.
 *
 * **Details**
 *
 * A public key is named in the forms of every network of its curve (`forms`), because it is good on all of them: so a key that one
 * tenant has on one network is no other's on another.
 */
export const layerParts = (
  forms: ReadonlyArray<KeyForm>
): Layer.Layer<
  AddressFormats | Chains | ChainSenders | Derivations | MessageProofs | TransactionFormats,
  never,
  Networks
> =>
  Layer.unwrap(
    Networks.useSync((networks) => {
      const { enabled, get } = networks
      const on = (network: Network): NetworkAdapter => {
        const found = get(network)
        if (found === undefined) throw new Error(`the network ${network} is off`)
        return found
      }
      return Layer.mergeAll(
        Layer.succeed(
          AddressFormats,
          AddressFormats.of({
            enabled,
            parse: (network, text) => get(network)?.parseAddress(text) ?? Result.fail(`The network ${network} is off.`)
          })
        ),
        Layer.succeed(Chains, Chains.of({ enabled, get: (network) => get(network)?.reader })),
        Layer.succeed(ChainSenders, ChainSenders.of({ get: (network) => get(network)?.sender })),
        Layer.succeed(TransactionFormats, TransactionFormats.of({ get: (network) => get(network)?.codec })),
        Layer.succeed(
          Derivations,
          Derivations.of({
            parse: (network, text) => on(network).keys.parse(text),
            derive: (network, account, from, count) => on(network).keys.derive(account, from, count),
            addressesOf: (network, publicKey) => on(network).keys.addressesOf(publicKey),
            keysOf: (network, address) => on(network).keys.keysOf(address),
            keysOfPublicKey: (network, publicKey) => {
              const { keys, traits } = on(network)
              const same = forms.filter(({ curve }) => curve === traits.keyPaths.curve)
              const names = [keys, ...same].flatMap((form) => form.keysOfPublicKey(publicKey))
              return [...new Set(names)]
            }
          })
        ),
        Layer.succeed(
          MessageProofs,
          MessageProofs.of({
            verify: (network, address, message, signature) =>
              on(network).keys.verifyMessage(address, message, signature)
          })
        )
      )
    })
  )

/** After this many addresses others get their turn: about four milliseconds. */
const addressesPerTurn = 16

/** The addresses of `count` indexes from `from` on, each made by `at`, so that others run in between. */
export const deriveInTurns = Effect.fnUntraced(function* (
  at: (index: number) => KeyedAddress,
  from: number,
  count: number
) {
  const addresses: Array<KeyedAddress> = []
  for (let index = from; index < from + count; index++) {
    if (addresses.length > 0 && addresses.length % addressesPerTurn === 0) yield* Effect.yieldNow
    addresses.push(at(index))
  }
  return addresses
})
