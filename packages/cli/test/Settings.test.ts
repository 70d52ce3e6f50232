import { readSettings } from "@bursar/cli/config/Settings"
import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"

const good = {
  DATABASE_URL: "postgres://u:dbsecret@127.0.0.1/bursar",
  KEY_PEPPER: "p".repeat(32),
  OPERATOR_TOKEN: "t".repeat(32),
  VAULT_MASTER_KEY: `one:${Buffer.alloc(32, 1).toString("base64")}`
}

const mistakes = (variables: Record<string, string>) => {
  const read = readSettings(variables)
  assert.isTrue(Result.isFailure(read))
  return Result.isFailure(read) ? read.failure : assert.fail("the settings were accepted")
}

describe("the settings", () => {
  it("have defaults for all that is not secret", () => {
    const settings = Result.getOrThrow(readSettings(good))
    assert.strictEqual(settings.port, 8080)
    assert.strictEqual(settings.operatorHost, "127.0.0.1")
    assert.strictEqual(settings.serviceName, "service")
    assert.deepStrictEqual(settings.evm, [])
    assert.strictEqual(settings.webhooksToPrivateAddresses, "never")
  })

  it("switch on the networks that have a node, with their own depth", () => {
    const { evm } = Result.getOrThrow(
      readSettings({ ...good, BASE_RPC_URL: "https://node.example", BASE_CONFIRMATIONS: "30", BSC_RPC_URL: "" })
    )
    assert.deepStrictEqual(
      evm.map(({ confirmations, network }) => [network, confirmations]),
      [["base", 30]]
    )
    assert.strictEqual(Redacted.value(evm[0]!.rpcUrl), "https://node.example")
  })

  it("name every mistake at once and show no secret", () => {
    const { message } = mistakes({
      DATABASE_URL: "mysql://u:dbsecret@h/x",
      PORT: "eighty",
      KEY_PEPPER: "shortpepper",
      VAULT_MASTER_KEY: "nonsense",
      ETHEREUM_RPC_URL: "node:user:rpcsecret",
      ETHEREUM_CONFIRMATIONS: "0"
    })
    for (const name of [
      "DATABASE_URL",
      "PORT",
      "KEY_PEPPER",
      "OPERATOR_TOKEN is missing",
      "VAULT_MASTER_KEY",
      "ETHEREUM_RPC_URL",
      "ETHEREUM_CONFIRMATIONS"
    ]) {
      assert.include(message, name)
    }
    for (const hidden of ["dbsecret", "shortpepper", "nonsense", "rpcsecret"]) assert.notInclude(message, hidden)
  })
})
