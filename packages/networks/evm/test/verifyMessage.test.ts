import { verifyMessage } from "@bursar/evm/Keys"
import { assert, describe, it } from "@effect/vitest"
import { privateKeyToAccount } from "viem/accounts"

// the first account of anvil and Hardhat, signed by ethers and viem alike
const address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
const signature =
  "0xa461f509887bd19e312c0c58467ce8ff8e300d3c1a90b608a760c5b80318eaf15fe57c96f9175d6cd4daad4663763baa7e78836e067d0163e9a2ccf2ff753f5b1b"

describe("a message signed by EIP-191", () => {
  it("is taken for its address and its text alone, and junk for nothing", () => {
    assert.isTrue(verifyMessage(address, "hello world", signature))
    assert.isFalse(verifyMessage(address, "hello world ", signature))
    assert.isFalse(verifyMessage("0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "hello world", signature))
    const junk = ["", "0x", signature.slice(0, -2), `${signature}00`, `0x${"00".repeat(65)}`, `0x${"ff".repeat(65)}`]
    for (const text of junk) assert.isFalse(verifyMessage(address, "hello world", text), text)
  })

  it("is what viem signs, of any length and in any script", async () => {
    const account = privateKeyToAccount("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80")
    for (const message of ["", "Ünïcødé\nin two lines", "x".repeat(1_000)]) {
      assert.isTrue(verifyMessage(address, message, await account.signMessage({ message })), message)
    }
  })
})
