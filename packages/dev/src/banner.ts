import type { Handshake, HandshakeNetworks } from "@bursar/cli/config/Handshake"

const urlOf = (where: HandshakeNetworks[keyof HandshakeNetworks]): string => {
  if ("url" in where) return where.url
  return "horizon_url" in where ? where.horizon_url : where.rpc_url
}

/** What a person sees when everything runs: where things are, and a first request to paste. */
export const banner = (handshake: Handshake, handshakePath: string): string => {
  const [demo] = handshake.tenants
  const { ethereum } = handshake.networks
  const address = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"
  return `
Bursar is running.

  partner API     ${handshake.partner_url}   documentation: ${handshake.partner_url}/docs
  operator API    ${handshake.operator_url}
  database        ${handshake.database_url.replace(/:[^:@/]*@/u, ":…@")}
${Object.entries(handshake.networks)
  .map(([name, where]) => `  ${name.padEnd(16)}${urlOf(where)}`)
  .join("\n")}
  sandbox         ${handshake.sandbox.control_url}
  keys and all    ${handshakePath}

A first deposit, to paste into another terminal:

  KEY=${demo?.keys["all"] ?? ""}
  curl -s ${handshake.partner_url}/v1/deposit-addresses -H "Authorization: Bearer $KEY" \\
    -H "Idempotency-Key: first" -H "Content-Type: application/json" \\
    -d '{"addresses":[{"network":"ethereum","address":"${address}","reference":"alice"}]}'
  curl -s ${ethereum.control_url}/fund -H "Content-Type: application/json" \\
    -d '{"address":"${address}","asset":"USDT_ETH","amount":"25"}'
  curl -s ${handshake.partner_url}/v1/deposits -H "Authorization: Bearer $KEY"
  curl -s ${handshake.partner_url}/v1/float -H "Authorization: Bearer $KEY"

Ctrl-C stops it; the next start goes on with what is here, \`npm start -- --fresh\` begins anew.
`
}
