import { publicKeyAddresses } from "@bursar/bitcoin/Address"
import { assert, describe, it } from "@effect/vitest"

// the public key of the private key 1, whose addresses everybody knows
const publicKey = Buffer.from("0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798", "hex")

describe("publicKeyAddresses", () => {
  it("gives the three forms of an address on the main chain, and those of a local one", () => {
    assert.deepStrictEqual(publicKeyAddresses("main", publicKey), [
      "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
      "3JvL6Ymt8MVWiCNHC7oWU6nLeHNJKLZGLN",
      "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH"
    ])
    assert.deepStrictEqual(publicKeyAddresses("regtest", publicKey), [
      "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080",
      "2NAUYAHhujozruyzpsFRP63mbrdaU5wnEpN",
      "mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r"
    ])
  })
})
