/** The setting `chat`: how writes merge, and what is shown of it. */
import { expect, it } from 'vitest';
import {
  chatSettingOf,
  completedChatSetting,
  mergedChatSetting,
} from '../../../src/model/chat-setting.ts';

it('shows defaults for what was never set', () => {
  expect(chatSettingOf(null)).toEqual({
    description: '',
    documentTemplate: expect.stringContaining('field.name'),
    documentTemplateMaxBytes: 400,
    searchParameters: {},
  });
});

it('merges members and search parameters, and null resets one', () => {
  const first = mergedChatSetting(null, {
    description: 'Films',
    documentTemplateMaxBytes: 50,
    searchParameters: { limit: 3, sort: ['year:asc'] },
  });
  const second = mergedChatSetting(first, {
    documentTemplateMaxBytes: null,
    searchParameters: { limit: null, distinct: 'title' },
  });
  expect(second).toEqual({
    description: 'Films',
    searchParameters: { sort: ['year:asc'], distinct: 'title' },
  });
  expect(mergedChatSetting(second, { searchParameters: null })).toEqual({ description: 'Films' });
  expect(mergedChatSetting({ description: 'Films' }, { description: null })).toBeNull();
});

it('shows the ratio of a hybrid search that names none', () => {
  const completed = (hybrid: { embedder: string; semanticRatio?: number }) =>
    completedChatSetting({ searchParameters: { limit: 3, hybrid } });
  expect(completed({ embedder: 'e' })).toEqual({
    searchParameters: { limit: 3, hybrid: { embedder: 'e', semanticRatio: 0.5 } },
  });
  expect(completed({ embedder: 'e', semanticRatio: 1 }).searchParameters?.hybrid).toEqual({
    embedder: 'e',
    semanticRatio: 1,
  });
  expect(completedChatSetting({ description: 'x' })).toEqual({ description: 'x' });
});
