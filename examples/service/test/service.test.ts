import { afterAll, expect, test } from "vitest"
import { makeService } from "../src/index.ts"

const service = makeService()
afterAll(service.dispose)

test("a partner that was let in registers an address, and nobody else does", async () => {
  const key = await service.addPartner("acme", ["192.0.2.0/24"])
  const register = (apiKey: string, clientAddress: string) =>
    service.handler(
      new Request("https://example.test/v1/deposit-addresses", {
        method: "POST",
        headers: {
          authorization: `Bearer ${apiKey}`,
          "content-type": "application/json",
          "idempotency-key": "first"
        },
        body: JSON.stringify({
          addresses: [
            { network: "ethereum", address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94", reference: "alice" }
          ]
        })
      }),
      { clientAddress }
    )
  const registered = await register(key, "192.0.2.1")
  expect([registered.status, await registered.json()]).toMatchObject([200, { results: [{ status: "registered" }] }])
  expect((await register(`${key}x`, "192.0.2.1")).status).toBe(401)
  expect((await register(key, "198.51.100.1")).status).toBe(403)
})
