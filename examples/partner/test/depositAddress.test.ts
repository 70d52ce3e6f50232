import { createClient } from "@bursar/client"
import { makeService } from "example-service"
import { afterAll, expect, test } from "vitest"
import { watchAddress, watchedCustomers } from "../src/depositAddress.ts"

const service = makeService()
afterAll(service.dispose)

const alice = { customer: "alice", address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94" }

/** A client whose requests go straight into the service; `broken` loses so many answers on their way back. */
const partner = async (slug: string, broken = 0) => {
  let lost = 0
  return createClient({
    baseUrl: "https://example.test",
    apiKey: await service.addPartner(slug, ["192.0.2.0/24"]),
    retry: { retriesMax: 0 },
    fetch: async (input, init) => {
      const answer = await service.handler(new Request(input, init), { clientAddress: "192.0.2.1" })
      if (lost++ < broken) throw new TypeError("the connection broke")
      return answer
    }
  })
}

test("an address that is asked for twice is watched once", async () => {
  const client = await partner("acme")
  const first = await watchAddress(client, alice)
  expect(first).toHaveProperty("id")
  expect(await watchAddress(client, alice)).toEqual(first)
  expect(await watchedCustomers(client)).toEqual(["alice"])
})

test("a partner that did not hear the answer asks again, and gets it", async () => {
  const client = await partner("unlucky", 1)
  const carol = { customer: "carol", address: "0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0" }
  expect(await watchAddress(client, carol)).toEqual({ askAgain: true })
  expect(await watchAddress(client, carol)).toHaveProperty("id")
  expect(await watchedCustomers(client)).toEqual(["carol"])
})

test("a text that is no address is refused, with the reason", async () => {
  const client = await partner("other")
  expect(await watchAddress(client, { customer: "bob", address: "0x123" })).toEqual({ refused: "address_invalid" })
  expect(await watchedCustomers(client)).toEqual([])
})
