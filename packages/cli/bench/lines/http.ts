import { migrate } from "@bursar/postgres"
import { Effect, Redacted } from "effect"
import { requests, type Served } from "../http.ts"
import { digits, line, percent, whole } from "../line.ts"
import { settings } from "../settings.ts"
import { tpcb } from "../tpcb.ts"
import { type Lines, writerOn } from "./Lines.ts"

const of = ({ each, perSecond }: Served) => ({
  rate: whole(perSecond),
  server: whole(each.server),
  database: whole(each.database)
})

/** Requests over HTTP, reads beside a bare server and writes beside TPC-B. */
export const http: Lines = Effect.fnUntraced(function* (server) {
  const url = Redacted.make(yield* server.ensureDatabase("http"))
  yield* migrate({ url })
  const { by, tps } = yield* tpcb(yield* server.ensureDatabase("tpcb_http"), settings.seconds)
  const measured = yield* Effect.provide(requests(settings.seconds, server.process.pid), writerOn(url))
  const payouts = of(measured.payouts)
  const register = of(measured.register)
  return [
    line`TPC-B beside HTTP, 16 clients, by ${by}: ${whole(tps)} transactions/s`,
    ...measured.float.flatMap(({ baseline, count, served }) => {
      const { database, rate, server: own } = of(served)
      return [
        line`bare node:http server, ${count} connections: ${whole(baseline.perSecond)} requests/s, ${whole(baseline.each.server)} µs of processor each`,
        line`GET /v1/float: ${rate} requests/s, ${percent(served.perSecond, baseline.perSecond)} of a bare server, with ${count} connections; ${percent(baseline.each.server, served.each.server)} by processor, ${own} µs of processor each, and ${database} µs of PostgreSQL`
      ]
    }),
    ...measured.listed.map(({ path, rows, served }) => {
      const { database, rate, server: own } = of(served)
      return line`GET ${path}: ${rate} requests/s, ${digits(served.each.server / rows, 1)} µs of processor a row; ${own} µs of processor each, and ${database} µs of PostgreSQL`
    }),
    ...measured.withdrawals.map(({ count, served }) => {
      const { database, rate, server: own } = of(served)
      return line`POST /v1/withdrawals: ${rate} operations/s, ${digits(served.perSecond / tps, 1)} x TPC-B, with ${count} connections; ${own} µs of processor each, and ${database} µs of PostgreSQL`
    }),
    line`POST /v1/chain-payouts, signed: ${payouts.rate} operations/s; ${payouts.server} µs of processor each, and ${payouts.database} µs of PostgreSQL`,
    line`POST /v1/deposit-addresses: ${register.rate} requests/s; ${register.server} µs of processor each, and ${register.database} µs of PostgreSQL`
  ]
})
