import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hasPassword, readAddress, withPassword } from "../../../ledger/postgres/address.ts";
import { folder } from "../folder.ts";

test.each([
  ["postgres://me:sesame@db.example.com/fleets", "postgres://db.example.com:5432/fleets"],
  [
    "postgresql://me:sesame@db.example.com:6543/fleets?sslmode=require",
    "postgres://db.example.com:6543/fleets",
  ],
  ["postgres://me:sesame@[::1]:6543/fleets", "postgres://[::1]:6543/fleets"],
  [
    "postgres://me:sesame@db1,db2:6543,[::1]:7654/fleets?sslmode=disable",
    "postgres://db1:5432,db2:6543,[::1]:7654/fleets",
  ],
  [
    "postgres://me:sesame@localhost:6543/fleets?host=db1,db2&sslmode=disable",
    "postgres://db1:6543,db2:6543/fleets",
  ],
  [
    "postgres://me:sesame@localhost/fleets?host=/var/run/postgresql",
    "postgres:///var/run/postgresql:5432/fleets",
  ],
])("%s is shown as %s", (url, location) => {
  expect(readAddress(url).location).toBe(location);
});

test("user, password and database may hold any character, escaped", () => {
  const address = readAddress("postgres://m%40e:se%3Asa%2Fme%25@db/fle%20ets?sslmode=disable");
  expect(address).toMatchObject({
    user: "m@e",
    password: "se:sa/me%",
    database: "fle ets",
    hosts: [{ host: "db" }],
  });
});

test("a password that is given elsewhere counts where the URL has none", () => {
  const put = (url: string) => withPassword(url, "else:where/%@");
  expect(readAddress(put("postgres://me@db/fleets?sslmode=disable"))).toMatchObject({
    ...{ user: "me", password: "else:where/%@", database: "fleets", hosts: [{ ssl: false }] },
  });
  expect(readAddress(put("postgres://me:sesame@db/fleets")).password).toBe("sesame");
  expect(readAddress(put("postgres://me@db1:6543,db2/fleets?connect_timeout=2"))).toMatchObject({
    ...{ password: "else:where/%@", location: "postgres://db1:6543,db2:5432/fleets", connectTimeout: 2_000 },
  });
  expect(readAddress("postgres://me@db/fleets").password).toBeUndefined();
  expect(put("postgres://me@a b/fleets")).toBe("postgres://me@a b/fleets");
});

test.each([
  ["postgres://me:sesame@db/fleets", true],
  ["postgresql://me:se/s#ame@db:5432/fleets", true],
  ["postgres://me@db:5432/fleets?sslmode=require", false],
  ["postgres://me:@db/fleets", false],
  ["./fleets.db", false],
])("whether a password stands in a URL is seen in one that cannot be read, too: %s", (url, has) => {
  expect(hasPassword(url)).toBe(has);
});

test.each([
  ["localhost", false],
  ["127.0.0.1", false],
  ["[::1]", false],
  ["db.example.com", {}],
  ["10.0.0.1", {}],
])(
  "what goes to %s without sslmode is encrypted, and the server verified, unless it is here",
  (host, tls) => {
    expect(readAddress(`postgres://me@${host}/fleets`).hosts).toMatchObject([{ ssl: tls }]);
  },
);

test("of several hosts each is verified by its own name, and what is read is asked of the one that writes", () => {
  const read = (rest: string) => readAddress(`postgres://me@${rest}`);
  expect(read("localhost,db.example.com/fleets").hosts).toMatchObject([{ ssl: false }, { ssl: {} }]);
  expect(read("db1,db2/fleets").writes).toBe(true);
  expect(read("db/fleets").writes).toBe(false);
  expect(read("db/fleets?target_session_attrs=any").writes).toBe(false);
  for (const word of ["read-write", "primary"])
    expect(read(`db/fleets?target_session_attrs=${word}`).writes).toBe(true);
});

test("listen says where the server itself is, and whether it is verified follows from that place", () => {
  const read = (more: string) => readAddress(`postgres://me@localhost:6432/fleets${more}`);
  expect(read("").listen).toBeUndefined();
  expect(read("?listen=db.example.com").listen).toEqual({ host: "db.example.com", port: 5432, ssl: {} });
  expect(read("?listen=[::1]:6543").listen).toEqual({ host: "::1", port: 6543, ssl: false });
  expect(read("?listen=db.example.com:6543").location).toBe("postgres://localhost:6432/fleets");
});

test("sslmode says how far the server is verified, and files with whom", () => {
  const home = folder();
  const [ca, cert, key] = ["ca", "cert", "key"].map((name) => join(home, name));
  for (const path of [ca, cert, key]) writeFileSync(path!, `content of ${path}`);
  const read = (more: string) => readAddress(`postgres://me@localhost/fleets?${more}`).hosts[0]?.ssl;
  expect(read("sslmode=disable")).toBe(false);
  expect(read("sslmode=require")).toEqual({ rejectUnauthorized: false });
  // As in PostgreSQL's own programs, a root to verify with is not ignored.
  for (const mode of ["require", "verify-ca"])
    expect(read(`sslmode=${mode}&sslrootcert=${ca}`)).toEqual({
      ...{ ca: `content of ${ca}`, checkServerIdentity: expect.any(Function) },
    });
  expect(read(`sslmode=verify-full&sslrootcert=${ca}&sslcert=${cert}&sslkey=${key}`)).toEqual({
    ...{ ca: `content of ${ca}`, cert: `content of ${cert}`, key: `content of ${key}` },
  });
});

test.each([
  ["postgres://me:sesame/1#@db/fleets", /it is none: a character such as @/],
  ["postgres://me:sesame%@db/fleets", /a % that is not written as %25/],
  ["postgres://me:sesame@db,sesame/2/fleets", /no database/],
  ["postgres://me:sesame@db,/fleets", /one of its hosts is not HOST:PORT/],
  ["postgres://me:sesame@db,db:sesame/fleets", /one of its hosts is not HOST:PORT/],
  ["postgres://me:sesame@db/fleets?target_session_attrs=standby", /none of read-write, primary/],
  ["postgres://me:sesame@db1,db2/fleets?target_session_attrs=any", /none of read-write, primary:/],
  ["postgres://me:sesame@db/fleets?connect_timeout=0", /connect_timeout is no number of seconds/],
  [
    "postgres://me:sesame@db/fleets?tcp_user_timeout=sesame",
    /a parameter, tcp_user_timeout, that is none of host/,
  ],
  ["postgres://me:sesame@db/", /no database/],
  ["postgres://:sesame@db/fleets", /no user/],
  ["postgres://me:sesame@db/fleets?sslmode=prefer", /none of disable, require/],
  ["postgres://me:sesame@db/fleets?sesame=1", /none of host, sslmode/],
  ["postgres://me:sesame@db/fleets?sslcert=/sesame", /go together/],
  ["postgres://me:sesame@db/fleets?listen=sesame@db", /its listen is not HOST:PORT/],
  ["postgres://me:sesame@db/fleets?listen=db/sesame", /its listen is not HOST:PORT/],
  [
    "postgres://me:sesame@db/fleets?sslrootcert=/nowhere",
    /\/nowhere, which cannot be read: there is no such file/,
  ],
  ["mysql://me:sesame@db/fleets", /it is none/],
])("%s is refused, and nothing of it is shown", (url, why) => {
  expect(() => readAddress(url)).toThrow(expect.objectContaining({ code: "CONFIG" }));
  expect(() => readAddress(url)).toThrow(why);
  expect(() => readAddress(url)).not.toThrow(/sesame/);
});
