import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import type { EvmNetworkFacts, EvmNetworkSettings } from "@bursar/evm"
import { AdapterWorld } from "@bursar/testkit/suites/adapter/AdapterWorld"
import { BIP32Factory } from "bip32"
import { Effect, Layer } from "effect"
import * as ecc from "tiny-secp256k1"
import { privateKeyToAccount } from "viem/accounts"
import { World } from "./World.ts"

const root = BIP32Factory(ecc).fromSeed(new Uint8Array(32).fill(7))
const account = root.derivePath("m/44'/60'/0'").neutered()
const below = account.derive(0)

const signer = privateKeyToAccount("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80")
const message = "Hello World"

const canonical = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"

/** An EVM network over one node, for whatever settings are changed, in the terms of the suite of adapters. */
export const examplesOf = (
  adapter: (settings: Partial<EvmNetworkSettings>) => NetworkAdapter,
  known: EvmNetworkFacts,
  contracts: ReadonlyArray<string>
): Effect.Effect<AdapterWorld["Service"]> =>
  Effect.gen(function* () {
    const signature = yield* Effect.promise(() => signer.signMessage({ message }))
    return AdapterWorld.of({
      adapter: adapter({}),
      astray: adapter({ facts: { ...known, chainId: known.chainId + 1 } }),
      account: { key: account.toBase58(), publicKeyAt: (index) => below.derive(index).publicKey },
      spellings: [
        [canonical.toLowerCase(), canonical],
        [`0x${canonical.slice(2).toUpperCase()}`, canonical]
      ],
      notAddresses: [
        canonical.slice(2),
        canonical.replace("0x98", "0X98"),
        canonical.replace("EfFD", "efFD"),
        `0x${"0".repeat(40)}`,
        "XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS",
        "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH",
        ...contracts
      ],
      notAccounts: [
        root.derivePath("m/44'/60'/0'").toBase58(),
        root.derivePath("m/44'/60'").neutered().toBase58(),
        below.toBase58(),
        canonical
      ],
      signed: { address: signer.address, message, signature }
    })
  })

/** The network of the world. */
export const adapterWorld = Layer.effect(
  AdapterWorld,
  Effect.flatMap(World, ({ adapter, known, tokens }) =>
    examplesOf(
      adapter,
      known,
      tokens.map(({ address }) => address)
    )
  )
)
