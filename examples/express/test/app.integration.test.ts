import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { makeService } from "example-service"
import { expect, onTestFinished, test } from "vitest"
import { makeApp } from "../src/app.ts"

/** A service inside an application that listens; both are let go of after the test. */
const hosted = async () => {
  const service = makeService()
  const server = makeApp(service).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(async () => {
    server.close()
    await once(server, "close")
    await service.dispose()
  })
  // it listens on a port, not on a pipe
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, service }
}

test("the service answers below /v1, and the application everywhere else", async () => {
  const { origin, service } = await hosted()
  const key = await service.addPartner("acme", ["127.0.0.0/8"])
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": "first" }
  const body = JSON.stringify({
    addresses: [{ network: "ethereum", address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94", reference: "alice" }]
  })
  const registered = await fetch(`${origin}/v1/deposit-addresses`, { method: "POST", headers, body })
  expect([registered.status, await registered.json()]).toMatchObject([200, { results: [{ status: "registered" }] }])
  const listed = await fetch(`${origin}/v1/deposit-addresses?network=ethereum`, { headers })
  expect(await listed.json()).toMatchObject({ addresses: [{ reference: "alice" }] })
  const page = await fetch(`${origin}/`)
  expect(await page.text()).toBe("A shop.")
})

test("a client from elsewhere is refused by the allowlist, since the socket's address is what counts", async () => {
  const { origin, service } = await hosted()
  const key = await service.addPartner("far", ["192.0.2.0/24"])
  const answer = await fetch(`${origin}/v1/whoami`, {
    headers: { authorization: `Bearer ${key}`, "x-forwarded-for": "192.0.2.1" }
  })
  expect(answer.status).toBe(403)
})
