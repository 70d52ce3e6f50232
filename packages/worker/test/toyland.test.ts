import { ChainError } from "@bursar/core/port/Chain"
import { makeFakeChain } from "@bursar/testkit/fixtures/FakeChain"
import { makeFakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { AdapterWorld } from "@bursar/testkit/suites/adapter/AdapterWorld"
import { ChainWorld } from "@bursar/testkit/suites/chain/ChainWorld"
import { fakeChainWorld, fakeTokens } from "@bursar/testkit/suites/chain/fakeChainWorld"
import { testNetworkAdapter } from "@bursar/testkit/suites/testNetworkAdapter"
import { Effect, Layer } from "effect"
import { toyAddress, toyKeyAt, toylandOver, toySignature, traits } from "./toyland.ts"

const account = "toyxpub-example"
const { name: network } = traits

const other = new ChainError({ network, reason: "other_chain", doing: "verify the chain", detail: "it is of no toys" })

const chain = makeFakeChain({ network, contracts: fakeTokens })
const parts = { reader: chain.reader, sender: makeFakeSender({ network, traits }).sender }
const toyland = toylandOver(parts)

testNetworkAdapter({
  name: "toyland",
  traits,
  adapter: Layer.succeed(
    AdapterWorld,
    AdapterWorld.of({
      adapter: toyland,
      astray: toylandOver({ ...parts, chainId: "another", verifyChain: Effect.fail(other) }),
      account: { key: account, publicKeyAt: (index) => toyKeyAt(account, index) },
      spellings: [[toyAddress("customer"), toyAddress("customer")]],
      notAddresses: ["toy-customer", "0x1", toyAddress("customer").toUpperCase()],
      notAccounts: [toyAddress("customer"), "toyxpub-"],
      signed: {
        address: toyAddress("customer"),
        message: "Hello World",
        signature: toySignature(toyAddress("customer"), "Hello World")
      }
    })
  ),
  reader: {
    world: Layer.sync(ChainWorld, () => {
      const words = (serial: number) =>
        serial.toString(26).replaceAll(/[0-9]/gu, (digit) => "qrstuvwxyz"[Number(digit)] ?? "")
      return fakeChainWorld(chain, (serial) => toyAddress(`receiver${words(serial)}`), toyland.reader)
    }),
    has: ["token", "sendTwice", "tokenTwice", "reorg", "faults"]
  }
})
