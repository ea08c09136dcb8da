BEGIN TRANSACTION;
CREATE TABLE mtsig_content (
	digest VARCHAR(64) NOT NULL, 
	size INTEGER NOT NULL, 
	packed BLOB NOT NULL, 
	PRIMARY KEY (digest)
);
INSERT INTO "mtsig_content" VALUES('a5d60e73c0da68e148d546c2b09410ea',214,X'789C9D8F496EC3300C45AF5270CD02B19DA1D0AEBD86E18564D385500D81282FDA20770FC5203E40370F12C0F73F79833597682B980E817FB952643037F80433827D3B000A3B65AF1C9447E54979565E6042F86A9653CBA9E5D4726A39B59C5A4E2DD7AC3B42A1950AA599B45A7EFF289718CE5BD18CB48580B0E4798B942AB7B4A5853DD1EDE8770C4F4CCD8AD6A73D24D8F47DB5BE80014AEF0BC91CFBB8055B6901B3DAC024433EB5DAB1C31E073CE209CF78C10F49E33917BD4AD6BBDAC2AF77CD3F94FC1F95578F65966525729CEE0FBE996CE6');
INSERT INTO "mtsig_content" VALUES('51efd8a8eb13bd0693468e71e89c29be',235,X'789C9D90BB6EC3300C457FA5E04C047EBBF0D6FE86914172E856A82505A234B441FEBD3493065DBA74B817A2C0C3D705D698BCC930D508FCC9993CC37481179866304F15A078ADDEA8B7EA9D7AAF3EA88F704478DD29AB9455CA2A6595B24A59A5AC5276A7AE0889564A1416D2D612FDA3B994E15892D60865DB104E71299E42FEF5E18D0B8F7033E1ED6C5CFA89D9F9B2994C279856B33149860B7BB9B9C6065BECB0C701477C96457989E936ED7BF12648CEED64D5A1C25AD4885A5127EA4583683C54F71335F78C3F24BBE454685FE96C126B1F79E7F841C17DD16360C32C0BCAB8F3F1FA0D7F667A59');
CREATE TABLE mtsig_review (
	id VARCHAR(64) NOT NULL, 
	read_link VARCHAR(64) NOT NULL, 
	edit_link VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	size INTEGER NOT NULL, 
	created FLOAT NOT NULL, 
	used FLOAT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (read_link), 
	UNIQUE (edit_link)
);
INSERT INTO "mtsig_review" VALUES('vZVRXn_H9L52L_XX4cpQqQ','tZHZru4U-4pssTovJEiI8w','B_xvVlKgLe1tPcaiPQ2XyQ','556a00e6dfef6a6cf250e9e71f874a0e',528,1.79588183750825667378e+09,1.79588184132077169417e+09);
CREATE TABLE mtsig_review_entry (
	review VARCHAR(64) NOT NULL, 
	number INTEGER NOT NULL, 
	at FLOAT NOT NULL, 
	change TEXT NOT NULL, 
	PRIMARY KEY (review, number), 
	FOREIGN KEY(review) REFERENCES mtsig_review (id) ON DELETE CASCADE
);
INSERT INTO "mtsig_review_entry" VALUES('vZVRXn_H9L52L_XX4cpQqQ',1,1.79588183750825667378e+09,'{"kind": "begin", "task": "wmt", "track": null, "digest": "d", "digests": {"en-de": "1"}, "metric": "bleu", "settings": {"trials": 999}}');
INSERT INTO "mtsig_review_entry" VALUES('vZVRXn_H9L52L_XX4cpQqQ',2,1.79588183753481245037e+09,'{"kind": "exclude", "system": "B", "pair": null, "reason": "late"}');
INSERT INTO "mtsig_review_entry" VALUES('vZVRXn_H9L52L_XX4cpQqQ',3,1.79588183755026245111e+09,'{"kind": "note", "pair": "en-de", "metric": "bleu", "a": "A", "b": "B", "text": "a note"}');
INSERT INTO "mtsig_review_entry" VALUES('vZVRXn_H9L52L_XX4cpQqQ',4,1.79588183755352210997e+09,'{"kind": "decide", "pair": "en-de", "first": ["A"], "why": "because"}');
INSERT INTO "mtsig_review_entry" VALUES('vZVRXn_H9L52L_XX4cpQqQ',5,1.79588183756200385097e+09,'{"kind": "rule", "rule": "wmt24"}');
INSERT INTO "mtsig_review_entry" VALUES('vZVRXn_H9L52L_XX4cpQqQ',6,1.79588183756573677067e+09,'{"kind": "metric", "metric": "chrf"}');
INSERT INTO "mtsig_review_entry" VALUES('vZVRXn_H9L52L_XX4cpQqQ',7,1.79588183756976890563e+09,'{"kind": "take back", "number": 2}');
CREATE TABLE mtsig_saved (
	link VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	name TEXT NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	about TEXT NOT NULL, 
	created FLOAT NOT NULL, 
	used FLOAT NOT NULL, 
	PRIMARY KEY (link), 
	UNIQUE (owner, digest), 
	FOREIGN KEY(digest) REFERENCES mtsig_content (digest)
);
INSERT INTO "mtsig_saved" VALUES('NaPx8THxJG0L_66uXaCdpg','556a00e6dfef6a6cf250e9e71f874a0e','old set','a5d60e73c0da68e148d546c2b09410ea','{"n_segments": 8, "n_systems": 2, "source": "{\"ref\": [], \"system\": [], \"src\": null, \"docs\": null, \"folder\": null, \"langpair\": null, \"refs\": [], \"refs_as_systems\": false, \"keep_canary\": false, \"demo\": null, \"parse\": [], \"scores\": [], \"lower_is_better\": [], \"ids\": null, \"demo_references\": 1, \"tokenize\": null, \"only\": [], \"exclude\": [], \"domain\": null, \"demo_task\": false, \"higher_is_better\": [], \"xml\": [], \"sacrebleu\": null, \"run\": []}"}',1.79588183745469188688e+09,1.79588183745469188688e+09);
INSERT INTO "mtsig_saved" VALUES('XIZ1lh4YSsJy5Np_K9gwYA','556a00e6dfef6a6cf250e9e71f874a0e','old scores','51efd8a8eb13bd0693468e71e89c29be','{"n_segments": 8, "n_systems": 2, "source": "{\"ref\": [], \"system\": [], \"src\": null, \"docs\": null, \"folder\": null, \"langpair\": null, \"refs\": [], \"refs_as_systems\": false, \"keep_canary\": false, \"demo\": null, \"parse\": [], \"scores\": [], \"lower_is_better\": [], \"ids\": null, \"demo_references\": 1, \"tokenize\": null, \"only\": [], \"exclude\": [], \"domain\": null, \"demo_task\": false, \"higher_is_better\": [], \"xml\": [], \"sacrebleu\": null, \"run\": []}"}',1.79588183749420499798e+09,1.79588183749420499798e+09);
CREATE INDEX ix_mtsig_saved_owner ON mtsig_saved (owner);
CREATE INDEX ix_mtsig_saved_digest ON mtsig_saved (digest);
CREATE INDEX ix_mtsig_review_owner ON mtsig_review (owner);
COMMIT;
