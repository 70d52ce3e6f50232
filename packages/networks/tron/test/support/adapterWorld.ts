import { AdapterWorld } from "@bursar/testkit/suites/adapter/AdapterWorld"
import { fromEvmHex } from "@bursar/tron"
import { BIP32Factory } from "bip32"
import { Effect, Layer } from "effect"
import * as ecc from "tiny-secp256k1"
import { utils } from "tronweb"
import type { tronOver } from "./tronOver.ts"
import { World } from "./World.ts"

const root = BIP32Factory(ecc).fromSeed(new Uint8Array(32).fill(7))
const account = root.derivePath("m/44'/195'/0'").neutered()
const below = account.derive(0)

const privateKey = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
const message = "Hello World"

const canonical = "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH"

/** Tron over a node, in the terms of the suite of adapters. */
export const examplesOf = (
  adapter: ReturnType<typeof tronOver>,
  contracts: ReadonlyArray<string>
): AdapterWorld["Service"] =>
  AdapterWorld.of({
    adapter: adapter({}),
    astray: adapter({ genesisBlockId: "ee".repeat(32) }),
    account: { key: account.toBase58(), publicKeyAt: (index) => below.derive(index).publicKey },
    spellings: [[canonical, canonical]],
    notAddresses: [
      canonical.toLowerCase(),
      canonical.replace("TUEZ", "TUeZ"),
      "41c8a96e3de49ac1c4f2ff8c8f1be7d3d8f7a3a4d2",
      "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
      fromEvmHex("0".repeat(40)),
      ...contracts
    ],
    notAccounts: [
      root.derivePath("m/44'/195'/0'").toBase58(),
      root.derivePath("m/44'/195'").neutered().toBase58(),
      below.toBase58(),
      canonical
    ],
    signed: {
      address: fromEvmHex("f39fd6e51aad88f6f4ce6ab8827279cfffb92266"),
      message,
      signature: utils.message.signMessage(message, privateKey)
    }
  })

/** The network of the world. */
export const adapterWorld = Layer.effect(
  AdapterWorld,
  Effect.map(World, ({ adapter, contracts }) => examplesOf(adapter, contracts))
)
