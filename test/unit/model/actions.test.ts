/**
 * The table of actions: names a key may hold, what wildcards stand for, what concerns the whole
 * instance (api.md 2.5).
 */
import { describe, expect, it } from 'vitest';
import { expandActions, isGlobalOnly, KEY_ACTIONS } from '../../../src/model/actions.ts';

const expand = (...names: string[]) => [...expandActions(names, false)].sort();

describe('actions', () => {
  it('have the names of the public description, without groups that are none', () => {
    for (const name of [
      '*',
      '*.get',
      'search',
      'documents.*',
      'tasks.compact',
      'chatsSettings.*',
      'fields.post',
    ]) {
      expect(KEY_ACTIONS).toContain(name);
    }
    for (const name of [
      'keys.*',
      'experimental.*',
      'network.*',
      'fields.*',
      'documents.edit',
      'nope',
      '',
    ]) {
      expect(KEY_ACTIONS).not.toContain(name);
    }
    expect(KEY_ACTIONS).toHaveLength(63);
  });

  it('expand by group, by reading, and all', () => {
    expect(expand('documents.*')).toEqual(['documents.add', 'documents.delete', 'documents.get']);
    expect(expand('chats.*')).toEqual(['chats.delete', 'chats.get']);
    expect(expand('*')).toContain('documents.edit');
    expect(expand('*.get')).toEqual(
      expect.arrayContaining([
        'search',
        'documents.get',
        'version',
        'export',
        'fields.post',
        'webhooks.get',
      ]),
    );
    for (const name of [
      'keys.get',
      'analytics.get',
      'audit.get',
      'chatCompletions',
      'documents.add',
      'documents.edit',
    ]) {
      expect(expand('*.get')).not.toContain(name);
    }
  });

  it('on the whole instance are named as such, and are left out for restricted keys', () => {
    for (const name of [
      'version',
      'metrics.*',
      'dumps.*',
      'keys.create',
      'webhooks.*',
      'export',
      'tasks.compact',
    ]) {
      expect(isGlobalOnly(name), name).toBe(true);
    }
    for (const name of [
      '*',
      '*.get',
      'tasks.*',
      'stats.*',
      'indexes.*',
      'chatCompletions',
      'fields.post',
    ]) {
      expect(isGlobalOnly(name), name).toBe(false);
    }
    const restricted = expandActions(['*'], true);
    expect(restricted.has('search')).toBe(true);
    expect(restricted.has('keys.create')).toBe(false);
  });
});
