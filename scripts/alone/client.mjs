// Uses the installed client as a partner does, against a server that answers what it is asked.
import { createClient } from "@bursar/client"
import { fileCursorStore } from "@bursar/client/node"
import { createWebhookReceiver } from "@bursar/client/webhooks"
import { strict as assert } from "node:assert"
import { createServer } from "node:http"

const asked = []
const server = createServer((request, response) => {
  asked.push({ path: request.url, signed: "signature" in request.headers })
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ currencies: [] }))
})
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
const { privateKey } = await crypto.subtle.generateKey({ name: "Ed25519" }, true, ["sign", "verify"])
const client = createClient({
  baseUrl: `http://127.0.0.1:${server.address().port}`,
  apiKey: "a-key",
  signingKey: await crypto.subtle.exportKey("jwk", privateKey)
})
assert.deepEqual(await client.register.float(), { currencies: [] })
assert.deepEqual(
  asked.map(({ path }) => path),
  ["/v1/float"]
)
const receiver = createWebhookReceiver({ secrets: ["a".repeat(32)], onEvent: () => undefined })
const forged = await receiver.fetch(new Request("http://localhost/", { method: "POST", body: "{}" }))
assert.equal(forged.status, 401)
assert.equal(typeof fileCursorStore, "function")
server.close()
server.closeAllConnections()
