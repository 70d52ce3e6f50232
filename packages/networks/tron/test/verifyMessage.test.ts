import { fromEvmHex } from "@bursar/tron/Address"
import { verifyMessage } from "@bursar/tron/Keys"
import { assert, describe, it } from "@effect/vitest"
import { utils } from "tronweb"

const privateKey = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
// the same 20 bytes as the key's address on EVM networks
const address = fromEvmHex("f39fd6e51aad88f6f4ce6ab8827279cfffb92266")

const signed = (message: string): string => utils.message.signMessage(message, privateKey)

describe("a message that tronweb has signed by TIP-191", () => {
  for (const message of ["hello world", "", "Ünïcødé\nin two lines"]) {
    it(`is taken for its address and its text alone, and junk for nothing: ${JSON.stringify(message)}`, () => {
      const signature = signed(message)
      assert.isTrue(verifyMessage(address, message, signature))
      assert.isFalse(verifyMessage(address, `${message} `, signature))
      assert.isFalse(verifyMessage(fromEvmHex("70997970c51812dc3a010c7d01b50e0d17dc79c8"), message, signature))
      const junk = ["", "0x", signature.slice(0, -2), `${signature}00`, `0x${"00".repeat(65)}`, `0x${"ff".repeat(65)}`]
      for (const text of junk) assert.isFalse(verifyMessage(address, message, text), text)
    })
  }
})
