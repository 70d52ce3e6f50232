import { AdapterWorld } from "@bursar/testkit/suites/adapter/AdapterWorld"
import { muxed } from "@bursar/stellar"
import { Keypair } from "@stellar/stellar-sdk/base"
import { Effect, Layer } from "effect"
import { World } from "./World.ts"

const key = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 7))
const account = key.publicKey()

/** The adapter of the world's network, in the terms of the suite of adapters. */
export const adapterWorld = Layer.effect(
  AdapterWorld,
  Effect.map(World, ({ adapter }) =>
    AdapterWorld.of({
      adapter: adapter(),
      astray: adapter({ networkPassphrase: "Another Network ; November 2026" }),
      account: { key: account, publicKeyAt: () => key.rawPublicKey() },
      spellings: [
        [account, account],
        [muxed(account, 7n), muxed(account, 7n)]
      ],
      notAddresses: [
        account.toLowerCase(),
        key.secret(),
        `${account.slice(0, -1)}${account.endsWith("A") ? "B" : "A"}`,
        muxed(account, 7n).slice(0, -1),
        "CA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUWDA",
        "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"
      ],
      notAccounts: [key.secret(), muxed(account, 7n)],
      // A vector of SEP-53.
      signed: {
        address: "GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L",
        message: "Hello, World!",
        signature: "fO5dbYhXUhBMhe6kId/cuVq/AfEnHRHEvsP8vXh03M1uLpi5e46yO2Q8rEBzu3feXQewcQE5GArp88u6ePK6BA=="
      }
    })
  )
)
