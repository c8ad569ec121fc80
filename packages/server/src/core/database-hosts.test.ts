import { describe, expect, it } from 'vitest'
import { databaseHosts } from './database-hosts.js'

describe('the hosts of a database URL', () => {
  it('is one, with the URL as it was written', () => {
    const url = 'postgres://bob:p%40ss@db/k?target_session_attrs=read-write'
    expect(databaseHosts(url)).toEqual([{ name: 'db:5432', url }])
  })

  it('are several, each with a URL of its own', () => {
    const url = 'postgresql://bob:p%2Css@a:1,b.example,[::1]:3/k?sslmode=require&target_session_attrs=read-write'
    expect(databaseHosts(url)).toEqual([
      { name: 'a:1', url: 'postgresql://bob:p%2Css@a:1/k?sslmode=require' },
      { name: 'b.example:5432', url: 'postgresql://bob:p%2Css@b.example/k?sslmode=require' },
      { name: '[::1]:3', url: 'postgresql://bob:p%2Css@[::1]:3/k?sslmode=require' },
    ])
  })

  it.each([
    'mysql://a,b/k',
    'postgres://a,/k',
    'postgres://,/k',
    'postgres://a:x,b/k',
    'postgres://a:1,b:70000/k',
    'postgres://a,b',
    'postgres://',
    '',
  ])('are not found in %j', (text) => {
    expect(databaseHosts(text)).toBeUndefined()
  })
})
