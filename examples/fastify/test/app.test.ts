import { makeService } from "example-service"
import { expect, onTestFinished, test } from "vitest"
import { makeApp } from "../src/app.ts"

/** A service inside an application; both are let go of after the test. */
const hosted = () => {
  const service = makeService()
  const app = makeApp(service)
  onTestFinished(async () => {
    await app.close()
    await service.dispose()
  })
  return { app, service }
}

test("the service answers below /v1, and the application everywhere else", async () => {
  const { app, service } = hosted()
  const key = await service.addPartner("acme", ["127.0.0.0/8"])
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": "first" }
  const payload = {
    addresses: [{ network: "ethereum", address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94", reference: "alice" }]
  }
  const registered = await app.inject({ method: "POST", url: "/v1/deposit-addresses", headers, payload })
  expect([registered.statusCode, registered.json()]).toMatchObject([200, { results: [{ status: "registered" }] }])
  const listed = await app.inject({ url: "/v1/deposit-addresses?network=ethereum", headers })
  expect(listed.json()).toMatchObject({ addresses: [{ reference: "alice" }] })
  expect((await app.inject("/")).body).toBe("A shop.")
})

test("a client from elsewhere is refused by the allowlist, since the socket's address is what counts", async () => {
  const { app, service } = hosted()
  const key = await service.addPartner("far", ["192.0.2.0/24"])
  const headers = { authorization: `Bearer ${key}`, "x-forwarded-for": "192.0.2.1" }
  expect((await app.inject({ url: "/v1/whoami", headers })).statusCode).toBe(403)
})
