import { assert, describe, it } from "@effect/vitest"
import { withOperands } from "../src/operands.ts"

const rest = "vNbl8cvW3Vv0Yh5bOKuF8e3sPQmJ1gTz7aXwR2kLcDE".slice(1)

describe("a key whose name begins like a flag", () => {
  for (const name of [`-${rest}`, `-${`-${rest}`.slice(0, 42)}`]) {
    it(`is named, and the flags beside it are flags: ${name}`, () => {
      assert.deepStrictEqual(withOperands(["signing-key", "revoke", "acme", name, "--key", "a1B2c3D4"]), [
        ...["signing-key", "revoke", "acme", "--key", "a1B2c3D4"],
        ...["--", name]
      ])
    })
  }

  it("may stand behind -- as anything may", () => {
    const args = ["signing-key", "revoke", "acme", "--", `-${rest}`]
    assert.strictEqual(withOperands(args), args)
  })
})

describe("other arguments", () => {
  it("stay where they are", () => {
    const args = ["export", "--format", "hledger", "-h", "-3.70", `x${rest}`, `--${"a".repeat(60)}`]
    assert.strictEqual(withOperands(args), args)
  })
})
