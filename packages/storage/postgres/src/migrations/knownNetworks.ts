import type { Migration } from "./Migration.ts"

/**
 * The names of networks that the database knows, each with its chain once a node has confirmed it. What stands in the tables before
 * has names without chains: the first start of a service with their nodes gives them.
 */
export const knownNetworks: Migration = {
  id: 38,
  name: "known_networks",
  statements: (sql) => [
    sql`create table network (
      name text not null,
      family text,
      chain text,
      first_seen timestamptz(3) not null,
      constraint network_pkey primary key (name),
      constraint network_chain_key unique (family, chain),
      constraint network_chain_whole check ((family is null) = (chain is null))
    )`,
    sql`insert into network (name, first_seen)
      select network, now() from address
      union select network, now() from address_directory
      union select network, now() from payout_wallet
      union select network, now() from network_status
      union select network, now() from operation where network is not null`
  ]
}
